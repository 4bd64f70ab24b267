#include "transport/queues/queue_gauge.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {
Duration QueueGauge::add(Instant sent, std::uint32_t microseconds) {
  const auto sent_at = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(sent.time_since_epoch()).count());
  const std::uint32_t delay = microseconds - sent_at;
  const bool first = !std::exchange(begun_, true);
  if (first) zero_ = delay;
  delay_ = std::chrono::microseconds{static_cast<std::int32_t>(delay - zero_)};
  mistaken_ = first ? Duration{0} : std::max(least_.value() - delay_, Duration{0});
  least_.add(delay_, sent);
  return std::max(delay_ - least_.value(), Duration{0});
}

}  // namespace lbsp::transport
