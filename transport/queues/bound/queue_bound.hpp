#pragma once

#include <cstddef>
#include <optional>

#include "transport/paths/recent_most.hpp"
#include "transport/queues/bound/before_pause.hpp"
#include "transport/queues/bound/beside_others.hpp"
#include "transport/queues/bound/delay_jumps.hpp"
#include "transport/queues/bound/emptying.hpp"
#include "transport/queues/bound/equal_steps.hpp"
#include "transport/queues/bound/full_queue.hpp"
#include "transport/queues/bound/little_queue.hpp"
#include "transport/queues/bound/mark_answer.hpp"
#include "transport/queues/bound/own_loss.hpp"
#include "transport/queues/bound/slow_link.hpp"
#include "transport/queues/bound/varying_queue.hpp"
#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Bounds the rate of what goes through a queue while the queue stands. Where none stands there is no bound: loss
/// without a queue is the path's own.
///
/// What came through of a round follows from what was lost beyond what is lost without a queue, and from how fast the
/// queue grew. While a queue stands, or will before an answer can come, the next rate is that, less what empties the
/// queue until the answer comes. When it is empty, what came through is the rate again, and a step more with each
/// round. Everybody who sends into the queue sees the same delay, gives the same part of the rate, and adds the same;
/// so all come to the same rate (Chiu and Jain, 1989), and soon, as the steps tell the share (EqualSteps). And as the
/// queue becomes empty again and again, who came while it stood learns how short the path is.
///
/// Where delays vary for other reasons, what looks like a queue is one only if it is long or drops much
/// (VaryingQueue). Where they jump about, there is no bound either, unless most datagrams are lost or the queue is
/// longer than the round trip, as long as it is not clear that a lower rate does not make it shorter. Behind a link
/// that is just full such delays come out even. So a bound under which they show goes, and does not come back for a
/// while.
///
/// Datagrams that routers have marked (ECN) met a queue, however short it looks and however delays vary.
class QueueBound {
 public:
  /// What is known beside a round.
  struct Context {
    Duration round_trip;  ///< the least
    std::size_t datagram_bytes;
    Rank senders = 1;             ///< ranks that send at this rate together
    BytesPerSecond most;          ///< there is no bound above it
    bool told = false;            ///< that most
    bool takes_long = false;      ///< what the superstep sends: many round trips
    double usual_loss;            ///< until more is known
    bool may_begin;               ///< a bound may begin where there is none, …
    bool may_begin_late = false;  ///< … or only after the queue has stood for long
    bool one_of_paths = false;    ///< the link may carry more, to others
    bool alone;                   ///< a round that tells of one path only counts
  };

  /// Whether the bound has changed.
  bool judge(QueueSeen seen, const Context& context);
  /// The same of a burst before a pause that was too short for a round. It counts only if no datagram met a queue.
  bool judge_burst(const QueueSeen& seen, const Context& context);
  /// A datagram goes out. After a pause, as between supersteps, when what stood in the queue has left it, the bound is
  /// what came through before the pause, if that is less than `most`. Whether the bound has changed.
  bool sent(std::size_t bytes, BytesPerSecond most, Instant now);
  /// Longer than what a rank that sends at the bound leaves between its datagrams. `round_trip`: the least.
  Duration pause(Duration round_trip) const;

  std::optional<BytesPerSecond> rate() const { return rate_; }
  /// The last round has ended the bound because delays jumped.
  bool ended_by_jumps() const { return ended_by_jumps_; }

 private:
  void end();
  double tolerated(const QueueSeen& seen) const;
  void note(const QueueSeen& seen, const Context& context);
  OwnLoss::Queue queue_of(const QueueSeen& seen, double most, bool stands) const;
  bool judge_queue(QueueSeen& seen, double most);
  void follow(QueueSeen seen, double tolerated, BytesPerSecond most);
  bool begins(const QueueSeen& seen, const Context& context);
  bool jumps(const QueueSeen& seen, const Context& context);
  void note_through(const QueueSeen& seen, const Context& context);
  double come_through(const QueueSeen& seen) const;
  double next_rate(const QueueSeen& seen, double base, double tolerated, double round_trip);
  double fallen_below_loss(double base, double more);
  double drained(const QueueSeen& seen, double arriving, double answer, double round_trip);
  double risen(const QueueSeen& seen, double base);

  std::optional<BytesPerSecond> rate_;
  RecentMost through_;  ///< bytes per second
  bool ended_by_jumps_ = false;
  bool flooded_ = false;  ///< a told rate was so much too high when the bound began: no jitter does that
  DelayJumps jumps_;
  FullQueue full_;  ///< if it is short
  LittleQueue little_;
  SlowLink link_;
  bool drops_ = false;  ///< the queue has dropped much, or that of a slow link some, in this round
  OwnLoss loss_;
  VaryingQueue varying_queue_;  ///< without a bound
  Emptying emptying_;
  EqualSteps steps_;          ///< in rounds without a queue
  BesideOthers others_;       ///< who hold a queue
  double carried_ = 0;        ///< in the last round in which a queue stood
  BeforePause before_pause_;  ///< of carried_
  MarkAnswer marks_;
  std::size_t datagram_bytes_ = 0;
  bool varying_ = false;
  Duration round_trip_{0};
};

}  // namespace lbsp::transport
