#pragma once

#include <cstdint>
#include <optional>

#include "transport/rate/burst_meter.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Looks at the first data of a rank whose first flight (FirstFlight) has come unevenly, and far more slowly than it
/// was sent: delays vary, or the link is slow, or both. That flight was too short to tell, but shows what the link
/// carries at least. So no more is on its way than the link carries in a tenth of a second at that rate, which few
/// queues do not hold. Where delays vary, such a longer flight comes at a far higher rate, and shows how long the next
/// one may be. A slow link brings it at about the same one, and that is what it carries. (Longer packet trains are less
/// disturbed: Dovrolis, Ramanathan and Moore, INFOCOM 2001.)
class WideningStart {
 public:
  struct Sent {
    BytesPerSecond rate;
    std::uint64_t leg_bytes;  ///< of this leg, and what had to wait of earlier ones, to all
    std::uint64_t bytes;      ///< to all until now
  };

  /// `shown`: by the first flight; `sent`: bytes to all until now.
  void begin(BytesPerSecond shown, std::uint64_t sent);

  bool over() const { return over_; }
  /// Whether no more may go before an echo. `sent`: bytes to all until now; `leg_bytes`: as in Sent.
  bool full(std::uint64_t sent, std::uint64_t leg_bytes) const {
    return !over_ && leg_bytes > window_ && sent >= begun_ + window_;
  }

  /// Takes what an echo says, and of the step from the one before. What the link carries, if that has become clear and
  /// is less than the rate.
  std::optional<BytesPerSecond> echoed(const TrainMark& mark, const Burst& step, const Sent& sent);

 private:
  void widen(std::uint64_t sent);
  void begin_flight(std::uint64_t sent);
  void look(const TrainMark& mark, double queue, BytesPerSecond rate);

  bool over_ = true;
  double shown_ = 0;  ///< bytes per second, that the link carries at least
  std::uint64_t window_ = 0;
  std::uint64_t begun_ = 0;  ///< bytes to all, when this flight began
  int vain_flights_ = 0;
  std::optional<Instant> first_sent_at_;  ///< of what has arrived of this flight
  double carries_ = 0;                    ///< bytes per second, as its delays show, …
  double sent_ = 0;                       ///< … if all of this had arrived
  double arrived_ = 0;
};

}  // namespace lbsp::transport
