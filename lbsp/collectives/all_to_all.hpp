#pragma once

#include <cstddef>
#include <vector>

#include "lbsp/collectives/checks.hpp"
#include "lbsp/collectives/values.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// Everyone's own message to everyone: `outgoing[j]` goes to rank j, and what comes back at [i] is from rank
/// i. The messages may have any sizes; that to oneself is taken along.
///
/// One superstep, which is what a superstep of lbsp is: a rank sends its P-1 messages. Throws UsageError
/// unless there is one message for every rank, and where the ranks call different collectives.
template <Transferable T>
std::vector<std::vector<T>> all_to_all(World& world, const std::vector<std::vector<T>>& outgoing) {
  const auto ranks = static_cast<std::size_t>(world.size());
  collective::check_messages(world, outgoing.size());
  Queue<T> queue(world);
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
