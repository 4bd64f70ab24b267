#include "transport/core/inbound.hpp"

#include <algorithm>
#include <chrono>

namespace lbsp::transport {

void Inbound::enter(std::uint64_t packet, std::size_t bytes, Instant now) {
  if (packet >= numbers.next()) {
    loss.newest_arrived(packet - numbers.next());
    newest_at = now;
  } else {
    loss.late_arrived();
  }
  numbers.enter(packet);
  last_heard = now;
  largest = std::max(largest, bytes);
}

Echo Inbound::echo(Instant now) const {
  if (numbers.next() == 0) return {};
  const auto microseconds = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  const auto held = std::clamp<std::int64_t>(microseconds(now - newest_at), 0, UINT32_MAX);
  return {.packets = numbers.next(),
          .hold_microseconds = static_cast<std::uint32_t>(held),
          .arrival_microseconds = static_cast<std::uint32_t>(microseconds(newest_at.time_since_epoch())),
          .arrived = static_cast<std::uint32_t>(numbers.distinct()),
          .loss = loss.report()};
}

}  // namespace lbsp::transport
