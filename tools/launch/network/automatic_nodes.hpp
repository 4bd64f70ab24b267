#pragma once

#include <string>
#include <vector>

#include "tools/launch/request/options.hpp"

namespace lbsp::launch::network {

/// How many ranks, and where.
struct ChosenNodes {
  int ranks = 1;
  std::vector<std::string> hosts;  ///< of the hosts file, one rank on each; empty: as the slots come
};

/// For `-n auto`: what lbsp tune advises for the program. It must be a ready one of which the size is given,
/// and the network known: from the profile, of whose hosts those in the hosts file count, a rank on each; or
/// from --wan, with as many nodes as there are slots, or processors here. Throws UsageError if any of that is
/// missing.
ChosenNodes choose_nodes(const request::RunOptions& options);

}  // namespace lbsp::launch::network
