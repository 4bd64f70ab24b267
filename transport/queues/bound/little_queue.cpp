#include "transport/queues/bound/little_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lbsp::transport {
namespace {

constexpr double few_datagrams_held = 4;
/// By which timers move a delay.
constexpr double late_timer = 0.6e-3;  // seconds
constexpr Duration little_lasts = std::chrono::seconds{10};
/// A longer queue has been seen, of which single late datagrams are no sign.
constexpr Duration longer_lasts = std::chrono::seconds{60};

/// Beyond what is usual, and beyond so many standard deviations.
constexpr double much_dropped = 0.05;
constexpr double deviations_of_dropped = 2;

}  // namespace

void LittleQueue::note(const QueueSeen& seen, const Context& context) {
  const double few = few_datagrams_held * context.datagram + late_timer;
  if (seen.queue > few) longer_until_ = seen.later_at + longer_lasts;
  if (seen.later_at < longer_until_) until_ = {};
  if (seen.later_at < longer_until_ || seen.longest > few) return;
  const double loss = std::max(seen.loss, context.own_loss);
  const double chance = std::sqrt(loss / std::max(seen.datagrams, 1.0));
  const bool drops = context.excess > much_dropped + deviations_of_dropped * chance;
  if (drops && seen.longest > context.datagram && !context.slow) until_ = seen.later_at + little_lasts;
}

}  // namespace lbsp::transport
