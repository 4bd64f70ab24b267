#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/wan/bed/bed.hpp"
#include "tools/wan/network/pair_specs.hpp"

namespace lbsp::wan::router {

/// What a bed is to be.
struct BedPlan {
  network::PairSpecs specs;
  std::string network;                        ///< in words
  std::vector<std::string> represented = {};  ///< what each host stands for; or empty
  std::uint64_t seed = 1;
  bool tells = true;     ///< senders of packets that are longer than their path carries
  bool offloads = true;  ///< packets pass the hosts' devices in trains, if the kernel has that
};

/// Starts the router of a bed as a daemon, which makes the hosts, and returns when packets flow. The bed's
/// folder must be there; the daemon writes its record. Everything that it makes but the folder ends with it,
/// for hosts live only in its descriptors. Throws SystemError if there cannot be a bed; then no process is
/// left.
bed::BedRecord start_router(const bed::BedFolder& folder, const BedPlan& plan);

}  // namespace lbsp::wan::router
