#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "transport/core/recent_most.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How long the queue on a path is: the delay of a datagram, one way, beyond the least of the last ten to twenty
/// seconds. The clocks of the two ends need not agree, since only differences count.
class DelayGauge {
 public:
  /// What is sent without longer pauses than `pause` is one burst.
  explicit DelayGauge(Duration pause = std::chrono::milliseconds{20}) : pause_(pause) {}

  /// A datagram that went out at `sent` has arrived at `microseconds` of the peer's clock, modulo 2^32. Returns its
  /// delay beyond the least. Datagrams are to be given in the order in which they were sent. `sending`: how long what
  /// has been sent since the last one takes at the sender's rate.
  Duration add(Instant sent, std::uint32_t microseconds, Duration sending = {});

  /// By how much the newest datagram's delay was below the least before it: the queue was longer by so much than it
  /// seemed.
  Duration mistaken() const { return mistaken_; }

  /// By how much delays change from one datagram to the next, in seconds: the median. Those of a queue change by a
  /// little, or by the time between two datagrams; delays that vary for other reasons look like a queue that no rate
  /// makes shorter. Large until some datagrams have shown it.
  double usual_jump() const { return usual_jump_; }

  /// How long delays have become at once of late, in seconds: faster than senders fill a queue. Where datagrams keep
  /// their order, all that come after one that was delayed are as late as it, and where the link behind is just full
  /// they stay so. That is no queue which a lower rate would have kept short.
  double variation() const { return variation_.value(); }

 private:
  static constexpr Duration period = std::chrono::seconds{10};
  static constexpr double unknown_jump = 1.2e-3;

  void note_jump(Duration queue, bool goes_on);
  void note_variation(Duration change, Duration sending, Instant sent);

  Duration pause_;
  bool begun_ = false;
  int first_steps_ = 8;
  Instant last_sent_{};
  std::uint32_t zero_ = 0;                   ///< the first delay, modulo 2^32 microseconds
  Duration least_ = Duration::max();         ///< since since_, beyond zero_ …
  Duration least_before_ = Duration::max();  ///< … and in the period before
  Instant since_{};
  Duration mistaken_{0};

  Duration last_beyond_{0};
  double jumped_ = 0;     ///< seconds: that part of the delay which came at once, and has not gone again
  RecentMost variation_;  ///< of jumped_

  Duration last_queue_{0};
  Duration last_change_{0};
  int in_burst_ = 0;                  ///< datagrams of the burst
  double usual_jump_ = unknown_jump;  ///< seconds: the median of second differences of the delay
};

}  // namespace lbsp::transport
