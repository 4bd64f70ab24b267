#include "transport/core/arrival_gauge.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {

QueueSample ArrivalGauge::add(const Arrival& arrival, Duration sending, Instant now) {
  const std::uint32_t before = std::exchange(last_written_, arrival.written_at);
  if (!std::exchange(begun_, true)) {
    written_ = sent_at_ = now;
    packets_ = arrival.packets - 1;
    arrived_ = arrival.arrived - 1;
  } else {
    written_ += std::chrono::microseconds{static_cast<std::int32_t>(arrival.written_at - before)};
  }
  const auto microseconds = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count());
  const Duration queue = gauge_.add(written_, microseconds, sending);
  const std::uint64_t datagrams = arrival.packets - std::exchange(packets_, arrival.packets);
  const std::uint64_t arrived = arrival.arrived - std::exchange(arrived_, arrival.arrived);
  const Instant sent_at = std::max(sent_at_, now - queue);
  return {.peer = arrival.peer,
          .since = std::exchange(sent_at_, sent_at),
          .sent_at = sent_at,
          .queue = queue,
          .jump = gauge_.usual_jump(),
          .variation = gauge_.variation(),
          .datagrams = datagrams,
          .arrived = std::min(arrived, datagrams),
          .bytes = datagrams * arrival.bytes,
          .data = arrival.data};
}

}  // namespace lbsp::transport
