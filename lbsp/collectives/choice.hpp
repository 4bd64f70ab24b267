#pragma once

#include <cstdint>
#include <span>

#include "lbsp/collectives/outline.hpp"
#include "lbsp/collectives/variants.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// What the choice of a variant takes the network to be; every pair of ranks alike. The defaults are a
/// wide-area path, for which lbsp is made.
struct CollectiveNetwork {
  double loss = 0.01;                       ///< p, of one datagram, 0 … below 1
  double round_trip_seconds = 0.05;         ///< β
  double bytes_per_second = 12.5e6;         ///< that one rank may send
  std::uint64_t segment_bytes = 1400 - 66;  ///< of a message in one datagram
};

/// What the ranks have measured so far, put together to one network that is the same on all of them: the mean
/// loss, the longest round trip, the lowest rate. What nobody has measured yet stays as in `assumed`.
/// Cost: one superstep of 24 bytes between all pairs.
CollectiveNetwork measured_network(World& world, const CollectiveNetwork& assumed = {});

/// Expected seconds of supersteps one after the other on lbsp's transport, where every pair exchanges a
/// message in each, if only an empty one: the sum of model::paper::receiver_time, one copy of each segment.
double expected_seconds(std::span<const SuperstepOutline> supersteps, Rank ranks,
                        const CollectiveNetwork& network = {});

/// The variant whose outline has the least expected time; of equals the first in its enumeration. A function
/// of its arguments alone, so all ranks choose alike where they pass the same. `bytes` as for outline().
///
/// One superstep costs a delay whether it sends little or much, so the direct variants win while P messages
/// cost less to send than one more delay: for all-gather always, since the others send no less.
Broadcast best_broadcast(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});
AllGather best_all_gather(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});
Reduce best_reduce(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});
AllReduce best_all_reduce(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});
Scan best_scan(std::uint64_t bytes, Rank ranks, const CollectiveNetwork& network = {});

}  // namespace lbsp
