#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/rate/burst_meter.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Looks at the first data of a rank whose first flight (FirstFlight) has told of no slow link. That flight is so short
/// that a token bucket may have let it pass at once, and what the link carries shows only when the bucket is empty. So
/// of a leg that is longer, no more is on its way at once than such a bucket and a queue behind it hold, until echoes
/// tell: either most of it has arrived as fast as it was sent, or the last of it came one by one, each as long after
/// the one before. A leg that is shorter waits for nothing, and says nothing of longer ones. Where round trips are
/// short, echoes come while a part of that is sent, and no more than what goes until then is on its way: waiting for
/// the next echo costs nothing if the links carry the rate, and else what comes is all that goes.
///
/// What is slow on the way to one host only is no limit of the rank, so its rate is lower only if two are slower, or if
/// nearly all of the leg goes to that host.
class FirstData {
 public:
  /// On its way at once, to one rank and to all, of all ranks of a host.
  static constexpr std::uint64_t bytes_to_one = 84 << 10;
  static constexpr std::uint64_t most_bytes = 1 << 20;

  struct Sent {
    BytesPerSecond rate;      ///< of all that the rank sends
    std::uint64_t leg_bytes;  ///< of this leg, and what had to wait of earlier ones, to all
    std::uint64_t bytes;      ///< to all until now
    Duration round_trip;      ///< the least, to this peer or to several of them the longest
    bool to_one = false;      ///< nearly all of the leg goes to this peer
  };

  /// `peers`: on other hosts; `sharers`: ranks that send through the same uplink; `echoed`: bytes to all until now.
  /// What is left of the first flight is a part of what may be on its way.
  void begin(Rank peers, Rank sharers, const Sent& sent, std::uint64_t echoed);

  bool over() const { return phase_ == Phase::over; }
  /// While a part of what may be on its way is sent: round trips are short.
  bool echoes_soon() const { return window_ < most_; }
  /// Whether no more may go before an echo. `sent`: bytes to all until now; `leg_bytes`: as in Sent.
  bool full(std::uint64_t sent, std::uint64_t leg_bytes) const {
    const std::uint64_t short_leg = phase_ == Phase::awaits_longer ? most_ : window_;
    return !over() && leg_bytes > short_leg && sent >= echoed_ + window_;
  }

  /// Takes what an echo says, which has come now; `to_all`: bytes sent until its datagram. When the links turn out to
  /// be clearly slower than the rate: what came of the rank's datagrams.
  std::optional<BytesPerSecond> echoed(Rank peer, const BurstMeter::Seen& seen, std::uint64_t to_all,
                                       const Sent& sent, Instant now);

 private:
  static constexpr Rank most_wanted = 2;
  static constexpr std::size_t remembered = most_steps;

  /// `awaits_longer`: the legs until now were so short that they waited for nothing.
  enum class Phase { looks, awaits_longer, over };

  struct Path {
    std::array<Burst, remembered> steps = {};
    std::size_t count = 0;
    bool slower = false;
  };
  struct Steps {
    std::array<Burst, remembered> steps;
    std::size_t count = 0;
    Burst sum;
  };

  void note(Path& path, const BurstMeter::Seen& seen, BytesPerSecond rate) const;
  void widen(const Sent& sent);
  bool looks_again(std::uint64_t to_all, const Sent& sent);
  static Steps last_steps(const Path& path);
  static bool is_late(const Path& path);
  bool is_slower(const Path& path, BytesPerSecond rate);
  void begin_flight();

  Phase phase_ = Phase::over;
  Rank wanted_ = 0;             ///< paths that have to be slower
  Rank slower_ = 0;             ///< that are
  std::uint64_t most_ = 0;      ///< bytes of a flight
  std::uint64_t window_ = 0;    ///< bytes, on their way at once
  Duration round_trip_{0};      ///< the longest
  Instant held_since_ = never;  ///< data waits for echoes
  std::uint64_t echoed_ = 0;    ///< bytes, to all
  std::uint64_t flight_end_ = 0;
  Burst flight_;             ///< what came of it
  int flights_ = 0;          ///< that told nothing
  std::vector<Path> paths_;  ///< by rank
  BytesPerSecond carried_{0};
};

}  // namespace lbsp::transport
