#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "lbsp/collectives/all_gather.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// How many elements the ranks have.
struct BlockCounts {
  std::size_t before = 0;   ///< on the ranks before this one
  std::size_t total = 0;    ///< N
  std::size_t longest = 0;  ///< on any rank

  std::size_t even(Rank ranks) const {  ///< ⌈N/P⌉
    const auto p = static_cast<std::size_t>(ranks);
    return (total + p - 1) / p;
  }
};

/// Counts all ranks' elements. Cost: one superstep of 8 bytes between all pairs; none on one rank.
inline BlockCounts count_blocks(World& world, std::size_t own) {
  const std::vector<std::size_t> counts = all_gather(world, own, AllGather::direct);
  return {std::accumulate(counts.begin(), counts.begin() + world.rank(), std::size_t{0}),
          std::accumulate(counts.begin(), counts.end(), std::size_t{0}), std::ranges::max(counts)};
}

/// Moves elements, in their order, so that the first ranks have ⌈N/P⌉ each and the next has what is left.
/// Cost: one superstep, in which every element moves at most once.
template <class T>
std::vector<T> even_out(World& world, const std::vector<T>& own, const BlockCounts& counts) {
  const std::size_t each = counts.even(world.size());
  Queue<T> queue(world);
  for (std::size_t sent = 0; sent < own.size();) {
    const std::size_t place = counts.before + sent;
    const std::size_t count = std::min(own.size() - sent, each - place % each);
    queue.send(static_cast<Rank>(place / each), 0, std::span(own).subspan(sent, count));
    sent += count;
  }
  world.sync();
  std::vector<T> evened;
  evened.reserve(each);
  for (const auto message : queue)
    evened.insert(evened.end(), message.values().begin(), message.values().end());
  return evened;
}

}  // namespace lbsp::algorithms
