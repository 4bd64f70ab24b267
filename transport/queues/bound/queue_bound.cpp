#include "transport/queues/bound/queue_bound.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "transport/options.hpp"
#include "transport/queues/bound/standing_queue.hpp"

namespace lbsp::transport {
namespace {

/// So much is lost beyond what is usual where a told rate floods the link.
constexpr double drops_of_flood = 0.5;

/// From when a datagram is sent until what it met decides on the rate, in round trips: its own, half a one of a round,
/// and what the two wait for each other. In a round are so many datagrams at least.
constexpr double round_trips_to_answer = 1.75;
constexpr double datagrams_to_answer = 8;
/// A queue that will stand before an answer can come stands, if it is longer than a datagram and this part of what is
/// tolerated: less is noise.
constexpr double least_filling = 0.1;
/// A queue is emptied until a datagram and this part of what is tolerated is left, …
constexpr double nearly_empty = 0.25;
/// … by no less than this part of what comes through.
constexpr double deepest_drain = 0.5;
/// Of the rate at which a queue began, or of what came through then if there was no bound: who comes fills a queue for
/// a moment, in which little of the others comes through.
constexpr double least_after_queue = 0.5;
/// What a queue grows by, in seconds per second: one that is drained so, and one that is filled sixteen times too fast.
constexpr double least_growth = deepest_drain - 1;
constexpr double most_growth = 15;
/// Of a flood, which is too long to be chance.
constexpr double most_growth_of_flood = 1000;

double most_growth_of(const QueueSeen& seen) {
  return seen.flood ? most_growth_of_flood : most_growth;
}

constexpr double noise_of_loss = 0.02;
constexpr double most_excess = 0.9;
/// Of what came through where more is lost with a higher rate.
constexpr double below_loss = 0.95;
/// What came through tells what the link carries, so no more than this counts as the path's own.
constexpr double most_usual_loss = 0.3;

/// A burst that is shorter than a round tells that there is no queue unless more is lost beyond what is usual.
constexpr double most_excess_of_burst = 0.1;

/// Of the bound: who sends less is not limited by it.
constexpr double in_use = 0.7;

constexpr Duration shortest_pause = std::chrono::milliseconds{20};

}  // namespace

bool QueueBound::judge(QueueSeen seen, const Context& context) {
  ended_by_jumps_ = false;
  const std::optional<BytesPerSecond> before = rate_;
  note(seen, context);
  if (!context.told && little_.holds(seen.later_at)) {
    end();
    return before.has_value();
  }
  const double most = tolerated(seen);
  const bool stands = judge_queue(seen, most);
  if (!rate_ && !(stands && (context.may_begin || full_.holds()) && begins(seen, context)))
    return before.has_value();
  if (!before) flooded_ = context.told && (seen.flood || loss_.excess(seen) > drops_of_flood);
  const bool jumping = jumps(seen, context);
  if (jumping && !marks_.of_bound()) {
    if (before && !flooded_) jumps_.begin_doubt(seen.later_at);
    ended_by_jumps_ = before.has_value();
    end();
    return before.has_value();
  }
  // Marks alone tell of the queue then.
  if (jumping) seen.queue = seen.growth = 0;
  varying_queue_.end();
  follow(seen, most, context.most);
  return rate_ != before;
}

/// What a round tells whether or not a queue stands.
void QueueBound::note(const QueueSeen& seen, const Context& context) {
  datagram_bytes_ = context.datagram_bytes;
  varying_ = DelayJumps::vary(seen, static_cast<double>(datagram_bytes_), through_.value());
  round_trip_ = context.round_trip;
  jumps_.note_loss(seen);
  loss_.begin(context.usual_loss);
  const double usual = usual_standing_queue(round_trip_);
  if (seen.mistaken > usual / 2) loss_.forget();
  note_through(seen, context);
  full_.note(seen, {.usual = usual,
                    .own_loss = loss_.value(),
                    .excess = loss_.excess(seen),
                    .round_trip = context.round_trip,
                    .varying = varying_,
                    .sends_long = context.may_begin || context.may_begin_late,
                    .bounded = rate_.has_value()});
  little_.note(seen, {.datagram = static_cast<double>(datagram_bytes_) / std::max(through_.value(), 1.0),
                      .own_loss = loss_.value(),
                      .excess = loss_.excess(seen),
                      .slow = link_.slow()});
}

/// What may have dropped some of a round.
OwnLoss::Queue QueueBound::queue_of(const QueueSeen& seen, double most, bool stands) const {
  if (link_.had_room(seen)) return OwnLoss::Queue::none;
  if (stands) return OwnLoss::Queue::stands;
  return seen.queue < most / 2 ? OwnLoss::Queue::none : OwnLoss::Queue::little;
}

/// Whether one stands. Marks that do not count are taken away, with a bound that they have made.
bool QueueBound::judge_queue(QueueSeen& seen, double most) {
  const auto marks = marks_.judge(seen, rate_, through_.value(), most);
  const bool marked = marks == MarkAnswer::Verdict::marked;
  if (!marked) seen.marked = 0;
  if (marks == MarkAnswer::Verdict::in_vain) end();
  link_.met(seen);
  drops_ = link_.drops(seen, loss_.value()) || (rate_ && full_.overflows());
  const bool stands = seen.queue > most || marked || drops_;
  loss_.note(seen, queue_of(seen, most, stands));
  if (seen.queue <= most) varying_queue_.end();
  return stands;
}

/// The bound after a round that had it, or with which it begins. `tolerated`: a longer queue stands.
void QueueBound::follow(QueueSeen seen, double tolerated, BytesPerSecond most) {
  // A path that has just become shorter than it ever seemed may become shorter still.
  if (emptying_.goes_on() && seen.mistaken_of_late > nearly_empty * tolerated)
    seen.queue = std::max(seen.queue, seen.mistaken_of_late + tolerated / 2);
  const double allowed = rate_ ? rate_->value : seen.rate;
  const bool used = seen.rate >= in_use * allowed;
  const double next = next_rate(seen, used ? seen.rate : allowed, tolerated, seconds(round_trip_));
  const double least = link_.least_rate(seen.queue);
  // Who pauses between supersteps is limited while it sends.
  const bool limits = used || (seen.busy_rate >= in_use * allowed && seen.longest <= tolerated);
  rate_ = BytesPerSecond{std::max(limits ? next : std::min(next, allowed), least)};
  if (rate_->value >= most.value) rate_.reset();
}

void QueueBound::end() {
  rate_.reset();
  before_pause_.forget();
}

bool QueueBound::judge_burst(const QueueSeen& seen, const Context& context) {
  if (!rate_ || !loss_.known() || seen.marked > 0 || seen.queue > tolerated(seen) / 2 ||
      loss_.excess(seen) > most_excess_of_burst)
    return false;
  return judge(seen, context);
}

/// A longer one stands.
double QueueBound::tolerated(const QueueSeen& seen) const {
  return std::max(standing_queue(round_trip_, full_.holds()), link_.own_queue(seen.rate));
}

/// Where a queue stands and no bound is.
bool QueueBound::begins(const QueueSeen& seen, const Context& context) {
  if (seen.marked > 0) return true;
  const bool doubted = jumps_.doubted(seen.later_at);
  if (doubted) return jumps_.lose_heavily();
  if (!varying_) return true;
  const bool too_long = varying_queue_.is_too_long(seen, loss_.excess(seen), context.round_trip);
  return too_long || full_.holds();
}

/// A bound that began with a flood is only given up where it has become very low.
bool QueueBound::jumps(const QueueSeen& seen, const Context& context) {
  const double through = through_.value();
  if (flooded_) return rate_ && rate_->value < DelayJumps::very_little * through;
  return jumps_.last(seen, {.round_trip = context.round_trip,
                            .datagram_bytes = static_cast<double>(context.datagram_bytes),
                            .senders = context.senders,
                            .most = context.told ? context.most.value : through,
                            .varying = varying_,
                            .through = through,
                            .bounded = rate_.has_value()});
}

void QueueBound::note_through(const QueueSeen& seen, const Context& context) {
  through_.add(come_through(seen), seen.later_at);
  std::optional<double> carried;
  if (!context.one_of_paths) carried = through_.value();
  link_.note(carried, seconds(round_trip_), static_cast<double>(datagram_bytes_));
}

/// The drops of a full queue look like the path's own loss to who has never seen it empty.
double QueueBound::come_through(const QueueSeen& seen) const {
  const double own = std::min(loss_.value(), most_usual_loss);
  const double part = std::clamp((1 - seen.loss) / (1 - own), 1 / std::max(seen.datagrams, 1.0), 1.0);
  return seen.rate * part / (1 + std::clamp(seen.growth, 0.0, most_growth_of(seen)));
}

double QueueBound::next_rate(const QueueSeen& seen, double base, double tolerated, double round_trip) {
  const double datagram = static_cast<double>(datagram_bytes_) / seen.rate;
  const double answer =
      (round_trips_to_answer - 0.5) * round_trip + std::max(round_trip / 2, datagrams_to_answer * datagram);
  // The delay is measured from the shortest datagrams, and a long one takes its own time besides.
  const double before_it = seen.queue - datagram;
  const bool fills =
      before_it > least_filling * tolerated && seen.queue + seen.sure_growth * answer > tolerated;
  const bool empty = before_it <= nearly_empty * tolerated;
  if (empty) others_.end();
  const bool marked = seen.marked > 0;
  if (!marked && !drops_ && seen.queue <= tolerated) {
    if (const auto more = loss_.risen_with_rate())
      return fallen_below_loss(base, std::max(*more, loss_.excess(seen)));
  }
  if (!marked && !drops_ && seen.queue <= tolerated && !fills && (!emptying_.goes_on() || empty))
    return risen(seen, base);
  const double excess = std::clamp(loss_.excess(seen) - noise_of_loss, 0.0, most_excess);
  const double least = base > seen.rate ? 0 : least_growth;
  carried_ = base * (1 - excess) / (1 + std::clamp(seen.growth, least, most_growth_of(seen)));
  if (marked) {
    steps_.begin_anew();
  } else if (!emptying_.goes_on()) {
    steps_.end(seen);
    carried_ *= steps_.part_to_keep(carried_);
  }
  const double next = drained(seen, seen.sent_since * (1 - excess), answer, round_trip);
  const double fallen = marked ? marks_.fallen(carried_) : carried_;
  before_pause_.note(fallen);
  carried_ = fallen;
  if (marked) return std::min(next, fallen);
  return others_.held() ? others_.rate_after(seen, {carried_, loss_.shown(), tolerated, round_trip,
                                                    datagram_bytes_, varying_})
                        : next;
}

/// A link is full although no queue is seen, as where others have kept it full for so long that it looks like a part
/// of the path. The next rate is less than what came through: at that rate, what is lost is the path's own.
double QueueBound::fallen_below_loss(double base, double more) {
  steps_.begin_anew();
  carried_ = below_loss * base * (1 - std::min(more, most_excess));
  loss_.fell_to(carried_);
  before_pause_.note(carried_);
  return carried_;
}

/// Less than what came through, for as long as that makes the queue shorter.
double QueueBound::drained(const QueueSeen& seen, double arriving, double answer, double round_trip) {
  const double then = std::max(0.0, seen.queue + std::min(arriving / carried_ - seen.since, round_trip));
  if (!emptying_.goes_on()) {
    emptying_.begin({.queue = std::max(then, seen.queue),
                     .through = carried_,
                     .least_after = least_after_queue * (rate_ ? seen.rate : carried_)});
  } else if (emptying_.in_vain(seen.queue) && !others_.held()) {
    carried_ = std::max(carried_, emptying_.began().through);
    others_.begin(carried_, seen.later_at);
  }
  return carried_ * std::max(deepest_drain, 1 - then / (answer + seen.queue));
}

/// What came through while a queue stood, and more with each round without one.
double QueueBound::risen(const QueueSeen& seen, double base) {
  if (emptying_.goes_on()) carried_ = std::max(carried_, emptying_.began().least_after);
  emptying_.end();
  if (const auto held = marks_.held(base)) {
    steps_.begin_anew();
    return std::max(*held, carried_);
  }
  return std::max(base * (1 + steps_.after(seen, base <= seen.rate, link_.most_step())), carried_);
}

Duration QueueBound::pause(Duration round_trip) const {
  const Duration paced = rate_ ? rate_->time_for(4.0 * static_cast<double>(datagram_bytes_)) : Duration{0};
  return std::max<Duration>({round_trip / 2, shortest_pause, paced});
}

bool QueueBound::sent(std::size_t bytes, BytesPerSecond most, Instant now) {
  if (2 * bytes < datagram_bytes_) return false;
  const Duration since = before_pause_.sent(now);
  const std::optional<double> carried = before_pause_.carried();
  if (!carried || since <= pause(round_trip_)) return false;
  rate_.reset();
  if (*carried < most.value) rate_ = BytesPerSecond{std::max(*carried, link_.least_rate(0))};
  steps_.begin_anew();
  emptying_.end();
  const double next = before_pause_.end() ? marks_.after_pause(*carried) : *carried;
  before_pause_.expect(next);
  if (next > highest_found_rate.value) before_pause_.forget();
  carried_ = 0;
  return true;
}

}  // namespace lbsp::transport
