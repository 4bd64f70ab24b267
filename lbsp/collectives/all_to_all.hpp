#pragma once

#include <cstddef>
#include <vector>

#include "lbsp/collectives/checks.hpp"
#include "lbsp/collectives/kinds.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// Exchanges a message between every pair of ranks: `outgoing[j]` goes to rank j, and element i of the result
/// comes from rank i. The messages may have any sizes. The message to the rank itself is included.
///
/// It takes one superstep, in which a rank sends its P-1 messages. Throws UsageError if there is not one
/// message for every rank, or if the ranks call different collectives.
template <Transferable T>
std::vector<std::vector<T>> all_to_all(World& world, const std::vector<std::vector<T>>& outgoing) {
  const auto ranks = static_cast<std::size_t>(world.size());
  collectives::check_messages(world, outgoing.size());
  Queue<T> queue(collectives::announced(
      world, {.name = collectives::kind_of(collectives::Simple::all_to_all), .element_bytes = sizeof(T)}));
  for (std::size_t to = 0; to < ranks; ++to) {
    if (!outgoing[to].empty()) queue.send(static_cast<Rank>(to), 0, outgoing[to]);
  }
  world.sync();
  std::vector<std::vector<T>> incoming(ranks);
  for (const auto message : queue)
    incoming[static_cast<std::size_t>(message.source())].assign(message.values().begin(),
                                                                message.values().end());
  return incoming;
}

}  // namespace lbsp
