#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/core/pacer.hpp"
#include "transport/core/queue_drain.hpp"
#include "transport/core/rank_bound.hpp"
#include "transport/core/rate_finder.hpp"
#include "transport/options.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How far a peer's echoes have told of what was sent to it.
struct TrainMark {
  std::uint32_t train = 0;    ///< of the newest datagram that has arrived; 0: none
  std::uint64_t packets = 0;  ///< 1 + its number
  std::uint32_t arrived = 0;  ///< how many have arrived until then, modulo 2^32
  Instant sent_at{};
  std::uint32_t arrived_at = 0;    ///< in microseconds of the peer's clock, modulo 2^32
  std::uint64_t bytes = 0;         ///< sent until then, to that peer …
  std::uint64_t bytes_to_all = 0;  ///< … and to all
  bool data = true;
  std::uint32_t epoch = 0;  ///< of the rate finder, when a part of this train was last counted; 0: never

  double loss = 0;             ///< of all datagrams, as the peer says …
  double loss_after_loss = 0;  ///< … and of those that follow a lost one
  /// What had been sent since the mark before took so much longer to arrive.
  std::optional<Duration> late = {};
};

/// Lets a rank's datagrams go at its rate: one that is told, or less where the echoes say that the network carries
/// less; or one that is found.
class RateControl {
 public:
  /// The options' rate, or beginning with it. `usual_loss`: what is expected of the paths themselves.
  RateControl(const ExchangeOptions& options, double usual_loss, Instant now);

  BytesPerSecond rate() const { return rate_; }

  bool may_send(Instant now) { return pacer_.may_send(now); }
  Instant next_release() const { return pacer_.next_release(); }
  /// Whether that changed the rate: after a pause it does.
  bool sent(std::size_t bytes, Instant now);
  /// Sent to all, until now.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

  /// The train of a datagram that goes now: a new one after a pause or a change of the rate.
  std::uint32_t train();
  /// Nothing waits to be sent.
  void pause() { paused_ = true; }

  /// Takes what an echo says of the datagrams since the last one of this peer; whether that changed the
  /// rate.
  bool echoed(TrainMark& last, const TrainMark& mark, Instant now);
  /// Takes what an echo says of the queue that stands on a path; whether that changed the rate.
  bool queued(const QueueSample& sample, const QueueBound::Context& context, Instant now);
  /// From now on no more than this goes, whatever the rate; nullopt: no limit. Whether that changed the rate.
  bool limit(std::optional<BytesPerSecond> most, Instant now) {
    limit_ = most;
    return use_rate(now);
  }
  const RankBound& bound() const { return bound_; }
  /// Without the bound.
  BytesPerSecond found() const { return finder_ ? finder_->rate() : rate_; }

 private:
  bool fade(Duration idle);
  bool use_rate(Instant now);
  bool may_hide_queue() const;
  void use_pace(Instant now);
  void note_chance(TrainMark& last, const TrainMark& before);

  bool told_;
  BytesPerSecond rate_;
  Pacer pacer_;
  std::optional<RateFinder> finder_;
  Instant busy_at_;  ///< when data went out
  RankBound bound_;
  QueueDrain drain_;
  Duration round_trip_ = Duration::max();  ///< the least; of paths on which no queue can be seen: as at first
  double variation_ = 0;                   ///< of delays on the path that was heard of last, in seconds
  std::optional<BytesPerSecond> limit_;
  std::uint64_t bytes_sent_ = 0;
  std::uint32_t train_ = 0;
  std::uint32_t first_at_rate_ = 1;  ///< the first train sent at this rate, and not in a drain
  bool paused_ = true;
};

}  // namespace lbsp::transport
