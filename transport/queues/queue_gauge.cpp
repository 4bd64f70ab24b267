#include "transport/queues/queue_gauge.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {
namespace {

constexpr Duration period = std::chrono::seconds{10};

}  // namespace

Duration QueueGauge::add(Instant sent, std::uint32_t microseconds) {
  const auto sent_at = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(sent.time_since_epoch()).count());
  const std::uint32_t delay = microseconds - sent_at;
  const bool first = !std::exchange(begun_, true);
  if (first) {
    zero_ = delay;
    since_ = sent;
  }
  delay_ = std::chrono::microseconds{static_cast<std::int32_t>(delay - zero_)};
  if (sent - since_ > period) {
    least_before_ = std::exchange(least_, Duration::max());
    since_ = sent;
  }
  mistaken_ = first ? Duration{0} : std::max(std::min(least_, least_before_) - delay_, Duration{0});
  least_ = std::min(least_, delay_);
  return delay_ - std::min(least_, least_before_);
}

}  // namespace lbsp::transport
