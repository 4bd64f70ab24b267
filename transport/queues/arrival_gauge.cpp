#include "transport/queues/arrival_gauge.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {

const ArrivalGauge::Seen& ArrivalGauge::add(const Arrival& arrival, Instant now) {
  const std::uint32_t before = std::exchange(last_written_, arrival.written_at);
  if (!std::exchange(begun_, true)) {
    written_ = now;
    packets_ = arrival.packets - 1;
    arrived_ = arrival.arrived - 1;
  } else {
    written_ += std::chrono::microseconds{static_cast<std::int32_t>(arrival.written_at - before)};
  }
  const auto microseconds = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count());
  seen_.queue = gauge_.add(written_, microseconds);
  seen_.mistaken = gauge_.mistaken();
  mistaken_ += seen_.mistaken;
  seen_.datagrams = arrival.packets - std::exchange(packets_, arrival.packets);
  const std::uint64_t arrived = arrival.arrived - std::exchange(arrived_, arrival.arrived);
  seen_.arrived = std::min(arrived, seen_.datagrams);
  return seen_;
}

bool ArrivalGauge::was_longer(Duration than) {
  if (mistaken_ <= than) return false;
  mistaken_ = Duration{0};
  return true;
}

}  // namespace lbsp::transport
