#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "transport/paths/recent_most.hpp"
#include "transport/queues/queue_gauge.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How long the queue on a path is (QueueGauge), and how delays change otherwise.
class DelayGauge {
 public:
  /// What is sent without longer pauses than `pause` is one burst.
  explicit DelayGauge(Duration pause = std::chrono::milliseconds{20}) : pause_(pause) {}

  /// As QueueGauge::add(). `sending`: how long what has been sent since the last one takes at the sender's rate.
  Duration add(Instant sent, std::uint32_t microseconds, Duration sending = {});

  /// See QueueGauge::mistaken().
  Duration mistaken() const { return queue_.mistaken(); }

  /// By how much delays change from one datagram to the next, in seconds: the median. Those of a queue change by a
  /// little, or by the time between two datagrams; delays that vary for other reasons look like a queue that no rate
  /// makes shorter. Large until some datagrams have shown it.
  double usual_jump() const { return usual_jump_; }

  /// How long delays have become at once of late, in seconds: faster than senders fill a queue. Where datagrams keep
  /// their order, all that come after one that was delayed are as late as it, and where the link behind is just full
  /// they stay so. That is no queue which a lower rate would have kept short.
  double variation() const { return variation_.value(); }

 private:
  static constexpr double unknown_jump = 1.2e-3;

  void note_jump(Duration queue, Duration gap);
  void note_variation(Duration change, Duration sending, Instant sent);

  QueueGauge queue_;
  Duration pause_;
  int first_steps_ = 8;
  Instant last_sent_{};

  double jumped_ = 0;     ///< seconds: that part of the delay which came at once, and has not gone again
  RecentMost variation_;  ///< of jumped_

  Duration last_queue_{0};
  Duration last_change_{0};
  Duration last_gap_{0};
  int in_burst_ = 0;                  ///< datagrams of the burst
  double usual_jump_ = unknown_jump;  ///< seconds: the median of second differences of the delay
};

}  // namespace lbsp::transport
