#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lbsp/collectives/outline.hpp"
#include "lbsp/collectives/variants.hpp"
#include "lbsp/world.hpp"
#include "transport/options.hpp"

namespace lbsp {

/// The network that the choice of a variant assumes; every pair of ranks is alike. The defaults are a
/// wide-area path, for which lbsp is made.
struct CollectiveNetwork {
  double loss = 0.01;                ///< p, of one datagram, 0 … below 1
  double round_trip_seconds = 0.05;  ///< β
  double bytes_per_second = 12.5e6;  ///< that one rank may send
  std::size_t datagram_bytes = transport::ExchangeOptions{}.datagram_bytes;
};

/// Combines what the ranks have measured so far into one network, the same on all of them: the mean loss, the
/// longest round trip and the lowest rate. What no rank has measured yet is taken from `assumed`. Cost: one
/// superstep of 24 bytes between all pairs.
CollectiveNetwork measured_network(World& world, const CollectiveNetwork& assumed = {});

/// Expected seconds of supersteps one after the other on lbsp's transport, where every pair exchanges a
/// message in each, if only an empty one. Each is predicted as the busiest rank's planner predicts it
/// (docs/prediction.md), with the protection that it plans. Costs 20 to 300 µs for each different superstep.
double expected_seconds(std::span<const SuperstepOutline> supersteps, Rank ranks,
                        const CollectiveNetwork& network = {});

/// The variant whose outline has the least expected time; of equals the first in its enumeration. A function
/// of its arguments alone, so all ranks choose alike where they pass the same. `bytes` as for outline().
///
/// What was chosen last is remembered, so that a call with the same arguments costs next to nothing.
///
/// A superstep costs a delay whether it sends little or much. So the direct variants win as long as P
/// messages take less time to send than one more delay. For all-gather they always win, because the others
/// send no less.
Broadcast best_broadcast(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});
AllGather best_all_gather(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});
Reduce best_reduce(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});
AllReduce best_all_reduce(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});
Scan best_scan(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});

}  // namespace lbsp
