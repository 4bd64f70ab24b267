#pragma once

#include <cstdint>
#include <limits>

namespace lbsp::dataflow {

/// Times of plans: whole nanoseconds (any other unit does as well, if all of a plan are in it). All ranks make the
/// same plan because they compute it from the same integers: sums of doubles may differ in the last bit from one
/// machine to another.
using Ticks = std::int64_t;

/// No time that is computed here is longer, 104 days in nanoseconds, so that sums of a thousand of them do not
/// overflow.
inline constexpr Ticks longest_ticks = std::numeric_limits<Ticks>::max() >> 10U;

/// units · per_million / 10⁶, rounded down in two parts so that it does not overflow; longest_ticks at most. 0 for
/// negative rates.
Ticks scaled(Ticks per_million, std::uint64_t units);

/// The rate at which `units` take `time`, per 10⁶: the inverse of scaled(). No units count as one.
Ticks per_million(Ticks time, std::uint64_t units);

/// What it costs to have a stream sent.
struct Transfer {
  Ticks latency = 0;            ///< of each stream
  Ticks per_million_bytes = 0;  ///< and of its bytes

  Ticks of(std::uint64_t bytes) const { return latency + scaled(per_million_bytes, bytes); }

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

}  // namespace lbsp::dataflow
