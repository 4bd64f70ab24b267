#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/queues/bound/queue_bound.hpp"
#include "transport/queues/common_queue.hpp"
#include "transport/queues/delay_gauge.hpp"
#include "transport/queues/longer_path.hpp"
#include "transport/queues/queue_round.hpp"
#include "transport/rate/burst_bound.hpp"
#include "transport/rate/delivery_bound.hpp"
#include "transport/rate/pacer.hpp"
#include "transport/rate/rate_control.hpp"
#include "transport/rate/spill_bound.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Bounds the rate of what goes to one peer while a queue stands on the path to it, and not on those to others.
class PathRate {
 public:
  /// For the next endpoint of a rank: the bound by a queue, and how short the path is, stay. Numbers of datagrams and
  /// counts of bytes are others, nothing is granted or held, and how little is delivered is seen anew: it looks like
  /// next to nothing while the members agree.
  PathRate begun_anew(Instant now) const;

  /// Takes what an echo says of the datagrams since the last one of this peer. `rate`: of all that the rank sends;
  /// `round_trip`: the least.
  QueueSample echoed(Rank peer, const TrainMark& mark, BytesPerSecond rate, Duration round_trip);
  /// What an echo says of the datagrams before this one is to say nothing of rates.
  void begin_from(const TrainMark& mark);
  /// Judges what echoed() gave. `others`: what datagrams to other peers met.
  void judge(const QueueSample& sample, const CommonQueue& others, const QueueBound::Context& context,
             Instant now);
  /// A datagram goes out.
  void sent(std::size_t bytes, BytesPerSecond most, Instant now);

  /// Somebody has told what the path carries: no more goes, ever.
  void tell(BytesPerSecond rate, std::size_t datagram_bytes, Instant now);
  std::optional<BytesPerSecond> told() const { return told_; }

  /// From now on no more than this goes, whatever the bound; nullopt: what the bound says.
  void hold(std::optional<BytesPerSecond> rate, std::size_t datagram_bytes, Instant now);

  /// The peer lets no more come from this rank for the next ten seconds, or until it says so again; nullopt: it does
  /// not care.
  void grant(std::optional<BytesPerSecond> rate, std::size_t datagram_bytes, Instant now);
  std::optional<BytesPerSecond> granted() const { return granted_; }

  /// Takes what echoed() gave as a sign of a link that carries much less. Whether carried() may have changed.
  bool judge_delivery(const TrainMark& mark, Duration queue, const DeliveryBound::Path& path, Instant now);
  /// Takes what an echo says of bursts that spill over a short queue. Whether carried() may have changed.
  bool judge_spill(const TrainMark& mark, const SpillBound::Path& path, Instant now);
  /// Whether that was a fall of the bound by spills, on a short path.
  bool spill_fell() const { return spill_.fell(); }
  bool spills() const { return spill_.rate().has_value(); }
  /// What such bursts have shown that the path carries.
  std::optional<BytesPerSecond> shown_by_spill() const { return spill_.shown(); }
  /// Bursts do not spill any more.
  void end_spill(Instant now);
  /// Takes what has become of a burst of nearly all that the rank sends.
  BurstBound::Change judge_burst(const BurstMeter::Seen& seen, const BurstBound::Context& context,
                                 Instant now);
  /// The bound by bursts.
  std::optional<BytesPerSecond> of_bursts() const { return burst_.rate(); }
  bool carries_little() const { return delivery_.bounds(); }
  /// Little more than that.
  std::optional<BytesPerSecond> carried() const {
    return delivery_.rate() ? delivery_.rate() : spill_.rate();
  }

  std::optional<BytesPerSecond> bound() const { return bound_.rate(); }
  /// The lowest that the path has shown that it carries, or somebody has told. A bound that is not judged under a grant
  /// does not count.
  std::optional<BytesPerSecond> shown() const;
  /// The lowest of that, a grant and what holds it.
  std::optional<BytesPerSecond> rate() const;
  bool may_send(Instant now) {
    const bool may = !pacer_ || pacer_->may_send(now);
    if (!may) spill_.held();
    return may;
  }
  /// When may_send() becomes true.
  Instant next_release() const { return pacer_ ? pacer_->next_release() : Instant{}; }

 private:
  static bool take_own_part(QueueSeen& seen, Rank peer, const CommonQueue& others,
                            QueueBound::Context& context);
  void use_rate(Instant now);

  DelayGauge gauge_;
  LongerPath longer_;
  TrainMark last_ = {};
  QueueRound round_;
  Instant last_data_at_{};
  QueueBound bound_;
  DeliveryBound delivery_;
  BurstBound burst_;
  SpillBound spill_;
  std::optional<BytesPerSecond> told_;
  std::optional<BytesPerSecond> held_;
  std::optional<BytesPerSecond> granted_;
  Instant granted_at_{};
  std::optional<Pacer> pacer_;
  std::size_t datagram_bytes_ = 1;
};

}  // namespace lbsp::transport
