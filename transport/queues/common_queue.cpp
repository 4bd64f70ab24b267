#include "transport/queues/common_queue.hpp"

#include <algorithm>

namespace lbsp::transport {

void CommonQueue::add(Rank peer, Instant sent, Duration queue) {
  const std::int64_t number = number_of(sent);
  Slot& slot = slots_[static_cast<std::size_t>(number) % slots_.size()];
  if (slot.number > number) return;
  if (slot.number < number) slot = {.number = number};
  if (peer == slot.peer) {
    slot.least = std::min(slot.least, queue);
  } else if (queue < slot.least) {
    slot.other = slot.least;
    slot.least = queue;
    slot.peer = peer;
  } else {
    slot.other = std::min(slot.other, queue);
  }
}

std::optional<Duration> CommonQueue::beside(Rank peer, Instant at) const {
  Duration least = Duration::max();
  for (std::int64_t number = number_of(at) - 1; number <= number_of(at) + 1; ++number) {
    const Slot& slot = slots_[static_cast<std::size_t>(number) % slots_.size()];
    if (slot.number == number) least = std::min(least, slot.peer == peer ? slot.other : slot.least);
  }
  return least == Duration::max() ? std::nullopt : std::optional(least);
}

}  // namespace lbsp::transport
