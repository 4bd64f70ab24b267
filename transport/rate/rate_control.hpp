#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "transport/finder/held_trains.hpp"
#include "transport/options.hpp"
#include "transport/rate/host_uplink.hpp"
#include "transport/rate/pacer.hpp"
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

/// Lets a rank's datagrams go at its part of what its host sends (UplinkRate). Ranks that share a host's uplink have
/// one HostUplink and divide its rate by what each has to send; a rank that knows of no other has one to itself.
class RateControl {
 public:
  /// The options' rate is this rank's equal part. `usual_loss`: what is expected of the paths themselves.
  RateControl(const ExchangeOptions& options, double usual_loss, Instant now,
              std::shared_ptr<HostUplink> shared = {}, Rank seat = 0);
  /// Of a rank that shares no uplink: goes on with what another one, of the same options, has found.
  RateControl(const ExchangeOptions& options, const UplinkRate& found, Instant now);

  /// An equal part of host_rate(), if limit() does not say less.
  BytesPerSecond rate() const { return rate_; }
  /// Whether it does.
  bool limited() const { return limit_ && limit_->value < host_rate().value / sharers(); }
  /// Of all that the host sends to others.
  BytesPerSecond host_rate() const { return uplink_->rate(); }
  /// What this rank sends at while others of its host send, too.
  BytesPerSecond share() const { return share_; }
  /// What is known of the rate, if no other rank has a part of it.
  std::optional<UplinkRate> found() const { return uplink_->of_one_rank(); }
  /// Whether a queue bounds host_rate().
  bool bounded() const { return uplink_->bounded(); }
  /// The ranks that share the uplink.
  Rank sharers() const { return uplink_->seats(); }

  /// What other ranks of the host have found out; whether that changed the rate. To be asked before may_send().
  bool refresh(Instant now);
  bool may_send(Instant now) {
    const bool may = pacer_.may_send(now);
    if (!may) held_.wait(now);
    return may;
  }
  Instant next_release() const;
  /// Whether that changed the rate: after a pause it does.
  bool sent(std::size_t bytes, Instant now);
  /// Sent to other hosts by all ranks of this one, until now.
  std::uint64_t bytes_sent() const { return uplink_->bytes_sent(); }
  /// A leg begins that has so many bytes for other hosts.
  void begin_leg(std::uint64_t bytes);
  /// What it will be sent at, as far as is known of what the host's other ranks have to send. `bytes`: with headers.
  BytesPerSecond rate_of_leg(Leg leg, double bytes);

  /// The train of a datagram that goes now: a new one after a pause or a change of the rate.
  std::uint32_t train();
  /// Nothing waits to be sent.
  void pause(Instant now);

  /// A question or an answer has come of those that are sent before there is data (FirstFlight).
  void note_first_flight(Instant now) { uplink_->note_first_flight(now); }
  /// When one last has, to any rank of the host.
  Instant first_flight_heard() const { return uplink_->first_flight_heard(); }

  /// Takes what an echo says of the datagrams since the last one of this peer; whether that changed the
  /// rate.
  bool echoed(TrainMark& last, const TrainMark& mark, Instant now);
  /// Takes what an echo says of the queue that stands on a path; whether that changed the rate.
  bool queued(const QueueSample& sample, const QueueBound::Context& context, Instant now);
  /// Calls with(queues), the queues that the host's datagrams have met.
  template <class With>
  void with_queues(const With& with) {
    uplink_->change([&](UplinkRate& rate) {
      with(rate.bound().queues());
      return false;
    });
  }
  /// A rate that is to be found is looked for from here on, if it was higher: something else has shown this much.
  /// Whether that changed the rate. What bursts have shown says nothing if ranks share the uplink.
  bool look_from(BytesPerSecond rate, RateFinder::ShownBy shown, Instant now);
  /// From now on no more than this goes, whatever the rate; nullopt: no limit. Whether that changed the rate.
  bool limit(std::optional<BytesPerSecond> most, Instant now);

 private:
  BytesPerSecond limited(BytesPerSecond rate) const { return limit_ ? std::min(rate, *limit_) : rate; }
  bool use_rate(Instant now);
  void use_pace(Instant now);
  void use_share(Instant now);
  void look_at_others(Instant now);

  std::shared_ptr<HostUplink> uplink_;
  Rank seat_;
  bool finds_;  ///< what the network carries; with the paper's rounds the rate is as told
  BytesPerSecond rate_;
  BytesPerSecond share_;
  Pacer pacer_;
  std::optional<BytesPerSecond> limit_;
  std::uint32_t version_ = 0;  ///< of the uplink, that is in use; 0: none
  double part_ = 1;            ///< of the share, to send at now
  std::uint32_t train_ = 0;
  std::uint32_t first_at_rate_ = 1;  ///< the first train sent at this rate, and not in a drain
  bool paused_ = true;
  HeldTrains held_;
  bool wanting_ = false;     ///< the others have been told that something waits here
  Instant looked_at_{};      ///< at what the others have to send
  double leg_bytes_ = 0;     ///< of the leg …
  double unsent_bytes_ = 0;  ///< … and what is left of them
  double least_demand_;      ///< bytes
};

}  // namespace lbsp::transport
