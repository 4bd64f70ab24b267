#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/finder/rate_finder.hpp"
#include "transport/options.hpp"
#include "transport/queues/bound/rank_bound.hpp"
#include "transport/queues/queue_drain.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How fast a host may send to others: one that is told, or less where the echoes say that the network carries less;
/// or one that is found. What all ranks of the host send counts, and what the echoes to any of them say.
///
/// Refers to no other memory, so that processes can share it (HostUplink).
class UplinkRate {
 public:
  /// The options' rate, or beginning with it; at most `most`. `usual_loss`: what is expected of the paths themselves.
  UplinkRate(const ExchangeOptions& options, BytesPerSecond most, double usual_loss, Instant now);

  /// For the next endpoint of a rank: the rate stays, and what is known of it. Ranks and counts of bytes are others.
  void begin_anew() { bound_.begin_anew(); }

  BytesPerSecond rate() const { return bound_.rate().value_or(found()); }
  /// Without the bound.
  BytesPerSecond found() const { return finder_ ? finder_->rate() : told_rate_; }
  /// Of rate(), to send at now: less while a queue of the host's own is to run empty.
  double part() const { return drain_.part(); }
  const RankBound& bound() const { return bound_; }
  /// Of the rate finder, until the next decision.
  std::uint32_t epoch() { return finder_ ? finder_->meter().epoch() : 0; }

  /// A datagram goes out. Whether rate() or part() has changed: after a pause it does.
  bool sent(std::size_t bytes, Instant now);
  /// A rate that is to be found is looked for from here on, if it was higher. Whether rate() has changed.
  bool look_from(BytesPerSecond rate, RateFinder::ShownBy shown);
  /// By how much a delay differs from the one before, and how losses come, as a receiver says.
  void note_chance(std::optional<Duration> difference, double loss, double loss_after_loss);
  /// What echoes say of a part of a train that was sent at this rate; whether rate() or part() has changed.
  bool echoed(const TrainPart& part, Instant now);
  /// The same of datagrams of several trains (RateFinder::add_untimed). `held`: how long trains wait for the rate.
  bool echoed_untimed(std::uint64_t sent, std::uint64_t arrived, Duration held, Instant now);
  /// Takes what an echo says of the queue that stands on a path; whether rate() or part() has changed.
  bool queued(const QueueSample& sample, const QueueBound::Context& context, Instant now);

 private:
  bool fade(Duration idle);
  bool found_after(BytesPerSecond proven, Instant now);
  bool rate_changed();
  bool may_hide_queue() const;

  BytesPerSecond told_rate_;
  bool told_;
  std::optional<RateFinder> finder_;
  Instant busy_at_;  ///< when data went out
  RankBound bound_;
  QueueDrain drain_;
  Duration round_trip_ = Duration::max();  ///< the least; of paths on which no queue can be seen: as at first
  double variation_ = 0;                   ///< of delays on the path that was heard of last, in seconds
  BytesPerSecond last_rate_;               ///< when rate_changed() was asked last
};

}  // namespace lbsp::transport
