#pragma once

#include <cstdint>
#include <vector>

#include "lbsp/collectives/variants.hpp"
#include "transport/units.hpp"

namespace lbsp {

/// What one superstep of a collective sends: the messages that are not empty, counted over all ranks. Every
/// other pair of ranks exchanges an empty message, as in every superstep.
struct SuperstepOutline {
  std::uint64_t messages = 0;
  std::uint64_t busiest = 0;  ///< the most messages that one rank sends, or receives if that is more
  std::uint64_t bytes = 0;    ///< of data in the longest message; the runtime adds collective_overhead_bytes

  friend bool operator==(const SuperstepOutline&, const SuperstepOutline&) = default;
};

/// The bytes of heads in a collective's message. Those of its first superstep are 64 to 79 bytes longer,
/// because they carry what the ranks agree on.
inline constexpr std::uint64_t collective_overhead_bytes = 64;

/// The supersteps of each variant on `ranks` ranks, in order. `bytes` is the whole message of a broadcast,
/// and one rank's contribution to the others. With P a power of two, binomial_tree, van_de_geijn and the
/// all-gathers send the packets that model/paper/workloads.hpp counts; binomial_tree, ring and bruck on any
/// P.
std::vector<SuperstepOutline> outline(Broadcast how, std::uint64_t bytes, Rank ranks);
std::vector<SuperstepOutline> outline(AllGather how, std::uint64_t bytes, Rank ranks);
std::vector<SuperstepOutline> outline(Reduce how, std::uint64_t bytes, Rank ranks);
std::vector<SuperstepOutline> outline(AllReduce how, std::uint64_t bytes, Rank ranks);
std::vector<SuperstepOutline> outline(Scan how, std::uint64_t bytes, Rank ranks);

}  // namespace lbsp
