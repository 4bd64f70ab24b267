#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lbsp::trace_command {

/// Whether the archive that has this anchor can be read, with so many events of each rank. The library that writes it
/// does not say of the last part of a file that there was no room for it.
bool is_whole_archive(const std::string& anchor, const std::vector<std::uint64_t>& events);

}  // namespace lbsp::trace_command
