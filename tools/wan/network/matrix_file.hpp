#pragma once

#include <istream>
#include <string>

#include "tools/wan/network/pair_specs.hpp"

namespace lbsp::wan::network {

/// Reads what lies between N hosts as N lines of N words: the word in line i, column j is the WAN spec from
/// host i to host j (`loss=10%,rtt=70ms`), `-` where i = j. `#` begins a comment, empty lines are skipped.
/// docs/wan.md shows one. Throws UsageError, which names `file` and the line, for whatever else there is.
PairSpecs read_matrix(std::istream& in, const std::string& file);

/// The same from the file itself. Throws UsageError also if it cannot be read.
PairSpecs read_matrix_file(const std::string& file);

/// The text that read_matrix reads back as the same.
std::string to_matrix(const PairSpecs& specs);

}  // namespace lbsp::wan::network
