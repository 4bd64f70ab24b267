#include "transport/sending/rate_bounds.hpp"

#include <algorithm>
#include <chrono>

namespace lbsp::transport {
namespace {

/// Shorter paths do not leave the building: what is late there waits in hosts, and a lower rate would not help.
constexpr Duration least_path = std::chrono::milliseconds{1};
/// On shorter paths, hosts and reports delay echoes as much as queues do.
constexpr Duration least_path_with_queues = std::chrono::milliseconds{10};

/// Of a superstep that takes so long, and so many round trips, a drain takes little.
constexpr Duration long_superstep = std::chrono::seconds{1};
constexpr int round_trips_of_long = 12;

/// Of a round trip: so late a path's marks count, until when others may have told of theirs, …
constexpr int part_for_others = 4;
/// … and for so many they are of late.
constexpr int round_trips_of_marks = 2;
constexpr Duration between_looks_for_marks = std::chrono::milliseconds{1};

/// The ranks of a host send to the same hosts at the same time: where so many do, their messages fill one queue.
bool sends_long_message(const Peer& to, Rank sharers) {
  return std::ranges::any_of(to.outbound.messages, [=](const OutgoingMessage& message) {
    return std::uint64_t{message.segment_count()} * static_cast<std::uint64_t>(sharers) >= long_segments;
  });
}

/// Longer than what hosts delay datagrams by, and than delays that vary do now and then.
bool is_queue(const QueueSample& sample, Duration round_trip) {
  constexpr Duration least = std::chrono::milliseconds{1};
  constexpr int part_of_round_trip = 10;
  constexpr double of_jump = 6;
  return sample.queue > std::max<Duration>(least, round_trip / part_of_round_trip) &&
         seconds(sample.queue) > of_jump * sample.jump;
}

/// What has gone in this time may have met a policer's bucket, or a short queue, and no more.
constexpr Duration longest_burst_on_short_path = std::chrono::milliseconds{50};
/// A message that takes so many is no burst …
constexpr int round_trips_of_no_burst = 4;
/// … and on short paths, where that is soon, if it has about half an epoch of the rate finder's.
constexpr int datagrams_of_no_burst = 32;

}  // namespace

/// Whether most paths on which something arrives mark it: that is at the rank's own uplink.
bool RateBounds::marks_most(Instant now) {
  if (state_.peers.far() == 1) return true;
  if (now - looked_for_marks_at_ < between_looks_for_marks) return marks_most_;
  looked_for_marks_at_ = now;
  Rank heard = 0;
  Rank marked = 0;
  for (const Rank rank : state_.peers.others()) {
    const Peer& other = state_.peers[rank];
    const Instant lately = now - round_trips_of_marks * other.path.times.least();
    if (other.near || other.echoed.at < lately) continue;
    ++heard;
    if (other.path.ecn.marked_at() >= lately) ++marked;
  }
  marks_most_ = marked > 1 && 2 * marked > heard;
  return marks_most_;
}

/// Whether the superstep does, at this rate.
bool RateBounds::takes_long(const Peer& to) const {
  return state_.rate.rate().time_for(static_cast<double>(state_.leg_bytes)) >=
         std::max<Duration>(long_superstep, round_trips_of_long * to.path.times.least());
}

void RateBounds::bound(Peer& to, const TrainMark& mark, Instant now) {
  if (to.near || !state_.rules.bounds_flight) return;
  const Duration round_trip = to.path.times.least();
  QueueSample sample = to.path.rate.echoed(to.rank, mark, state_.rate.host_rate(), round_trip);
  sample.bytes_by_now = state_.rate.bytes_sent();
  state_.queue_seen = state_.queue_seen || is_queue(sample, round_trip);
  const BytesPerSecond even{state_.rate.rate().value / state_.peers.far()};
  const DeliveryBound::Path path{even, to.path.sizes.in_use(), round_trip};
  if (to.path.rate.judge_delivery(mark, sample.queue, path, now)) limit_rate(now);
  bound_spill(to, mark, now);
  // Hosts do not delay datagrams as evenly as a slow link does, so bursts tell on short paths, too.
  const bool is_short = state_.sends_little();
  // A long leg at a rate that was told has nothing to learn of bursts.
  if (state_.config.options.find_rate || is_short || bursts_.rate() || to.path.rate.of_bursts())
    bound_bursts(to, mark, sample, is_short, now);
  bound_queues(to, mark, sample, now);
}

/// Where bursts spill over a queue of a few datagrams.
void RateBounds::bound_spill(Peer& to, const TrainMark& mark, Instant now) {
  const BytesPerSecond fair{state_.rate.host_rate().value / state_.rate.sharers()};
  const Duration round_trip = to.path.times.least();
  const Duration burst = round_trip < SpillBound::short_path ? longest_burst_on_short_path : round_trip;
  const SpillBound::Path path{.round_trip = round_trip,
                              .fair = fair,
                              .datagram_bytes = to.path.sizes.in_use(),
                              .usual_loss = to.path.prior.loss,
                              .in_bursts = fair.time_for(static_cast<double>(state_.leg_bytes)) < burst};
  if (!to.path.rate.judge_spill(mark, path, now)) return;
  if (to.path.rate.spill_fell()) to.path.loss_at_bound.begin(to.outbound.next_packet);
  limit_rate(now);
  go_on_from_spill(now);
}

bool RateBounds::tells_of_own_rate(const Peer& to) const {
  // What is too long for the path says nothing of the rate. If it is not, the next echo tells of this, too.
  if (to.near || to.path.narrow.lacks_long_ones() || to.path.sizes.on_trial()) return false;
  const PathRate& rate = to.path.rate;
  if (limited_by_grant(to) || rate.bound() || rate.told() || rate.of_bursts()) return false;
  // A link that carries little may still carry more than this rank sends.
  if (rate.carries_little() && rate.carried()->value < state_.rate.rate().value / state_.peers.far())
    return false;
  return !bursts_.rate() && !state_.rate.bounded() &&
         (state_.config.options.find_rate || to.path.times.least() >= least_path);
}

/// Then the peer sees to it that no queue stands before it. If all whom this rank sends to grant more together than it
/// sends, its own rate is the limit, which could not rise otherwise: they grant more only when what they grant is used.
bool RateBounds::limited_by_grant(const Peer& to) const {
  const double rate = state_.rate.rate().value;
  const auto granted = to.path.rate.granted();
  if (!granted || granted->value >= rate) return false;
  double all = 0;
  for (const Rank rank : state_.peers.others()) {
    const Peer& other = state_.peers[rank];
    if (other.near || other.outbound.messages.empty()) continue;
    const auto theirs = other.path.rate.granted();
    if (!theirs) return true;
    all += theirs->value;
  }
  return all < rate;
}

/// Each queue has one bound that heeds it: the rank's where it stands on all paths, or there is only one; else the
/// path's.
void RateBounds::bound_queues(Peer& to, const TrainMark& mark, QueueSample sample, Instant now) {
  const bool told = !state_.config.options.find_rate;
  const Duration round_trip = to.path.times.least();
  // Where delays vary, a path turns out to be shorter than it looked. Its bound is not to stay for that. On such a
  // path one begins only where the queue is full.
  const bool shorter = round_trip < least_path_with_queues;
  const bool marked = now - to.path.ecn.marked_at() < round_trips_of_marks * round_trip;
  const auto marks = to.path.ecn.take(round_trip / part_for_others, now);
  const bool drops = mark.loss > to.path.prior.loss + FullQueue::drops_where_delays_vary;
  if (told && shorter && !marked && !drops && !state_.rate.bounded() && !to.path.rate.bound()) return;
  QueueBound::Context context{
      .round_trip = round_trip,
      .datagram_bytes = to.path.sizes.in_use(),
      .senders = state_.rate.sharers(),
      .most = {(told ? own_rate(state_.config) : highest_found_rate).value * state_.rate.sharers()},
      .told = told,
      .takes_long = takes_long(to),
      .usual_loss = to.path.prior.loss,
      .may_begin = (!shorter || marked) && !state_.sends_little(),
      .may_begin_late = shorter && !state_.sends_little(),
      .alone = state_.peers.far() == 1};
  const bool of_all = marked && marks_most(now);
  if (of_all || !marked) sample.marks = marks;
  if (state_.rate.queued(sample, context, now)) state_.reports.set_rate(state_.rate.rate(), now);
  if (limited_by_grant(to)) return;
  const bool is_long = sends_long_message(to, state_.rate.sharers());
  context.most = state_.rate.host_rate();
  context.may_begin = (!shorter || marked) && is_long;
  context.may_begin_late = shorter && is_long;
  context.one_of_paths = state_.peers.far() > 1;
  context.alone = context.one_of_paths && (!state_.rate.bounded() || to.path.rate.bound());
  sample.marks = of_all ? std::nullopt : marks;
  state_.rate.with_queues(
      [&](const CommonQueue& queues) { to.path.rate.judge(sample, queues, context, now); });
}

void RateBounds::judge_first_data(Peer& to, const TrainMark& mark, const BurstMeter::Seen& seen,
                                  double variation, Instant now) {
  if (first_.data_over()) return;
  if (const auto of_bursts = first_.judge_data(to, mark, seen, variation, now)) {
    bursts_.begin(*of_bursts);
    limit_rate(now);
  }
  room_.release_to_all();
}

/// What goes nearly all to one peer shows what the path to that one carries; what goes to several, what the rank's
/// uplink does. Where ranks share an uplink, others send between what this one does.
void RateBounds::bound_bursts(Peer& to, const TrainMark& mark, const QueueSample& sample, bool is_short,
                              Instant now) {
  const BytesPerSecond all = state_.rate.rate();
  const BytesPerSecond own = std::min(all, to.path.rate.rate().value_or(all));
  const BurstMeter::Seen seen = to.path.bursts.add(mark, sample.queue, all, own);
  judge_first_data(to, mark, seen, sample.variation, now);
  const BurstBound::Context context{.sending = state_.rate.host_rate(),
                                    .datagram_bytes = to.path.sizes.in_use(),
                                    .is_short = is_short,
                                    .loss = mark.loss,
                                    .now = now,
                                    .jump = sample.jump,
                                    .goes_on = to.path.times.least() < least_path_with_queues,
                                    .queued = state_.rate.bounded(),
                                    .peer = to.rank};
  const bool to_one = state_.sends_most_to(to);
  if (to_one || !is_short) {
    const auto change = to.path.rate.judge_burst(seen, context, now);
    if (change == BurstBound::Change::begun) to.path.loss_at_bound.begin(to.outbound.next_packet);
  }
  if ((to_one && is_short) || state_.rate.sharers() > 1) return;
  // A long leg goes on from what the short ones have shown.
  if (const auto shown = bursts_.rate(); shown && !is_short)
    state_.rate.look_from(*shown, RateFinder::ShownBy::bursts, now);
  const auto change = bursts_.judge(seen.of_all(), context);
  if (change == BurstBound::Change::none) return;
  if (change == BurstBound::Change::begun) {
    for (const Rank rank : state_.peers.others())
      state_.peers[rank].path.loss_at_bound.begin(state_.peers[rank].outbound.next_packet);
  }
  limit_rate(now);
}

/// Where bursts to all have shown what is carried, and messages are none any more at that rate.
void RateBounds::go_on_from_spill(Instant now) {
  if (state_.rate.sharers() > 1) return;
  BytesPerSecond sum{0};
  Duration round_trip{0};
  for (const Rank rank : state_.peers.others()) {
    const Peer& other = state_.peers[rank];
    if (other.near || other.outbound.leg_bytes == 0) continue;
    const auto shown = other.path.rate.shown_by_spill();
    if (!shown) return;
    sum.value += shown->value;
    round_trip = std::max<Duration>(round_trip, other.path.times.least());
  }
  if (!(sum > BytesPerSecond{0}) ||
      sum.time_for(static_cast<double>(state_.leg_bytes)) < round_trips_of_no_burst * round_trip)
    return;
  if (round_trip < SpillBound::short_path && state_.leg_segments < datagrams_of_no_burst) return;
  state_.rate.look_from(sum, RateFinder::ShownBy::spill, now);
  for (const Rank rank : state_.peers.others())
    state_.peers[rank].path.rate.end_spill(now);
  limit_rate(now);
}

/// Where all paths are so slow, so are reports, and what is planned.
void RateBounds::limit_rate(Instant now) {
  std::optional<BytesPerSecond> sum{BytesPerSecond{0}};
  for (const Rank rank : state_.peers.others()) {
    const Peer& other = state_.peers[rank];
    if (other.near) continue;
    const auto carried = other.path.rate.carried();
    if (!carried) sum.reset();
    if (!sum) break;
    sum->value += carried->value;
  }
  if (const auto most = bursts_.rate()) sum = std::min(*most, sum.value_or(*most));
  if (state_.rate.limit(sum, now)) state_.reports.set_rate(state_.rate.rate(), now);
}

}  // namespace lbsp::transport
