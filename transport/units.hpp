#pragma once

#include <chrono>
#include <cstdint>

namespace lbsp {

/// A process of the job, 0 … size-1.
using Rank = int;

}  // namespace lbsp

namespace lbsp::transport {

using Duration = std::chrono::nanoseconds;

/// For formulas, which count in seconds.
constexpr double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// The protocol's time. It has no now(): the driver of the protocol says what time it is, so that the same
/// code runs in real and in virtual time. The driver also chooses the origin.
struct ProtocolClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<ProtocolClock>;
  static constexpr bool is_steady = true;
};

using Instant = ProtocolClock::time_point;

/// No deadline: later than any time that a driver can reach.
inline constexpr Instant never = Instant::max();

struct BytesPerSecond {
  double value = 0;

  /// The time that `bytes` occupy a link of this rate.
  Duration time_for(double bytes) const { return Duration{static_cast<Duration::rep>(bytes / value * 1e9)}; }

  // clang-tidy 14 takes the 0 of a defaulted comparison for a pointer.
  friend auto operator<=>(BytesPerSecond, BytesPerSecond) = default;  // NOLINT(modernize-use-nullptr)
};

constexpr BytesPerSecond megabits_per_second(double megabits) {
  return {megabits * 1e6 / 8};
}

}  // namespace lbsp::transport
