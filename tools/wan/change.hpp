#pragma once

#include <optional>
#include <string>

#include "tools/wan/bed/bed.hpp"

namespace lbsp::wan {

/// What is to become of the network of a bed that is up.
struct Change {
  std::string spec;         ///< the properties that change; or empty
  std::string matrix_file;  ///< the whole network anew; or empty
  bool reset = false;       ///< what `spec` does not name is as in a perfect network, not as it was
  std::string from;         ///< only what this host sends; empty: all hosts
  std::string to;           ///< only what is sent to this host; empty: all hosts
};

/// Changes the network while programs use it, and returns when the router has done so. Packets that are under way
/// keep their time. Throws UsageError, SystemError.
bed::BedRecord change_bed(const bed::BedFolder& folder, const Change& change);

}  // namespace lbsp::wan
