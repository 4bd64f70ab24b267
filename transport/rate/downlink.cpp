#include "transport/rate/downlink.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// A round has so much of each.
constexpr std::uint64_t least_round_datagrams = 16;
constexpr std::uint64_t least_round_samples = 4;
constexpr Duration shortest_round = 5ms;
/// One that has not become whole after so many times its length begins again.
constexpr int most_rounds_long = 8;
constexpr Duration longest_incomplete_round = 1s;
/// Nothing has come for so many round trips, and so long: what stood in the queue has left it.
constexpr Duration least_pause = 20ms;
/// So long after the last datagram nothing is known of the link any more.
constexpr Duration time_to_forget = 10s;

/// A queue stands if the least that was met is longer than this, and than two datagrams.
constexpr double least_standing_seconds = 3e-3;
constexpr double standing_of_round_trip = 0.1;
/// The link is flooded if so much more is lost than without a queue in two of so many rounds. Who tries higher rates on
/// a link of its own loses a fifth, and a half where delays vary; of three who send to one rank at the rate of its
/// downlink, each loses two thirds.
constexpr double flood = 0.6;
constexpr int rounds_to_forget = 10;
/// While there is a rate, so much more is dropped.
constexpr double drops = 0.1;

/// A queue is to be gone after so many round trips, …
constexpr double drain_in_round_trips = 4;
/// … by no less than this part of what comes through.
constexpr double most_drained = 0.8;
/// A queue that stands keeps its link busy. One before which so much less has come for so many rounds than before is
/// not that of what comes here.
constexpr int rounds_in_vain = 4;
constexpr double less_than_carried = 0.93;
/// How much comes in a round is counted to within so many datagrams: where rounds have few, the most of ten is more
/// than the link carries.
constexpr double counted_datagrams = 2;
constexpr Duration first_time_of_doubt = 10s;
constexpr Duration longest_time_of_doubt = 60s;

/// Of the rate: less is not limited by it.
constexpr double used_part = 0.7;
/// What is added after a round without a queue, and how much more after each further one.
constexpr double shortest_step = 0.01;
constexpr double further_steps = 0.002;
constexpr double longest_step = 0.1;

/// A flood that only its drops have told of was one if a queue has shown after so many round trips: by delays that have
/// become shorter, at the least.
constexpr int round_trips_to_prove = 4;
/// Its queue is empty when delays become shorter by no more than this part of what the lower rate makes them.
constexpr double still_emptied = 0.25;

/// A link is slow that carries fewer in a round trip. Its queue is full with a few of them, so what the longest of a
/// round says counts by this part, and as a queue counts what is dropped besides: so much more than is its own loss.
/// What the most of ten rounds had is then more than it carries. The longest queue is that of a clump if the link
/// carried less than this part of what it has carried lately; and as far as delays vary, it is none.
constexpr double few_datagrams_at_once = 12;
constexpr double part_of_longest = 0.5;
constexpr double part_of_busy = 0.9;
constexpr double kept_of_variation = 0.9;  // from one round to the next
constexpr double least_drops_on_slow = 0.02;
constexpr double deviations_on_slow = 0.5;   // standard deviations
constexpr double after_drops_on_slow = 0.9;  // of the mean

}  // namespace

bool Downlink::arrived(const Arrival& arrival, Instant now) {
  if (round_ && now - round_->last > std::max(arrival.round_trip, least_pause)) {
    if (now - round_->last > time_to_forget) rate_.reset();
    round_.reset();
    drain_.begin_anew(now);
    begin_burst();
  }
  if (!round_) {
    begin_round(arrival.peer, now);
  } else {
    round_->bytes += static_cast<double>(arrival.bytes);
  }
  round_->last = now;
  bytes_so_far_ += static_cast<double>(arrival.bytes);
  round_->several = round_->several || arrival.peer != round_->first_peer;
  if (arrival.seen == nullptr) return false;
  ++round_->samples;
  round_->longest = std::max(round_->longest, arrival.seen->queue);
  met_.meet(arrival.path, *arrival.seen, {.bytes_so_far = bytes_so_far_, .carried = carried_.lately()});
  round_->datagrams += arrival.seen->datagrams;
  round_->arrived += arrival.seen->arrived;
  const Duration length = std::max(arrival.round_trip / 2, shortest_round);
  if (now - round_->begun < length) return false;
  const bool whole =
      round_->several && round_->samples >= least_round_samples && round_->datagrams >= least_round_datagrams;
  if (!whole && now - round_->begun > std::max<Duration>(most_rounds_long * length, longest_incomplete_round))
    begin_round(arrival.peer, now);
  return whole;
}

void Downlink::begin_round(Rank first, Instant now) {
  round_ = Round{.begun = now, .last = now, .first_peer = first};
  met_.begin_round();
}

void Downlink::judge(const Arrival& last, const Context& context, Instant now) {
  begun_ = false;
  loss_.begin(context.usual_loss);
  Shown shown = end_round(last, context.datagram_bytes, now);
  judge_queue(shown, context.datagram_bytes);
  if (rate_ && shown.own_only) return doubt(now);
  judge_drops(shown);
  if (!rate_) {
    if (!begins(shown.hidden, context, now)) return;
    begin_rate(shown.coming, now);
  }
  if (first_ && !proves_first(shown, last.round_trip, now)) return doubt(now);
  const bool used = shown.coming >= used_part * *rate_;
  if (!shown.stands && !shown.hidden && !used) return;
  if (drains(shown.mistaken, last.round_trip, context, now)) return;
  carried_.add(shown.coming);
  if (shown.busy && (shown.hidden || shown.stands)) limited_.add(shown.coming);
  if (shown.hidden || shown.stands) empty_rounds_ = 0;
  if (shown.hidden) {
    rate_ = carried_.most() * most_drained;
  } else if (shown.stands) {
    if (!shown.slow && in_vain(shown.coming * (1 + shown.one_more)))
      return proven_ ? allow_for(shown.queue) : doubt(now);
    shorten(shown);
  } else if (!first_) {
    rise();
  }
  if (*rate_ >= context.most.value) rate_.reset();
}

/// The next one begins.
Downlink::Shown Downlink::end_round(const Arrival& last, std::size_t datagram_bytes, Instant now) {
  const Round round = *round_;
  const auto datagram = static_cast<double>(datagram_bytes);
  const double round_trip = seconds(last.round_trip);
  const double lasted = seconds(now - round.begun);
  const auto datagrams = static_cast<double>(round.datagrams);
  const bool slow = rate_ && carried_.most() * round_trip < few_datagrams_at_once * datagram;
  const double arriving = round.bytes / lasted;
  const double one_more = counted_datagrams * datagram / round.bytes;
  const bool busy = arriving * (1 + one_more) >= part_of_busy * (1 - loss_.own()) * carried_.lately();
  variation_ = std::max(seconds(met_.varied()), kept_of_variation * variation_);
  const double longest =
      slow && busy ? part_of_longest * std::max(0.0, seconds(round.longest) - variation_) : 0;
  const Shown shown{.round_trip = round_trip,
                    .lasted = lasted,
                    .queue = std::max(seconds(met_.least()), longest),
                    .mistaken = seconds(met_.mistaken()),
                    .arriving = arriving,
                    .one_more = one_more,
                    .datagrams = datagrams,
                    .loss = 1 - static_cast<double>(round.arrived) / datagrams,
                    .slow = slow,
                    .busy = busy};
  begin_round(last.peer, now);
  return shown;
}

/// Whether one stands, and what is lost without.
void Downlink::judge_queue(Shown& shown, std::size_t datagram_bytes) {
  others_ = std::min(others_, shown.queue);
  shown.tolerated = others_ + std::max({least_standing_seconds, standing_of_round_trip * shown.round_trip,
                                        2 * static_cast<double>(datagram_bytes) / shown.arriving});
  const double own = loss_.own();
  const double lost = (shown.loss - own) / (1 - own);
  const double chance = std::sqrt(own * (1 - own) / shown.datagrams);
  shown.drops_some = shown.slow && 2 * shown.queue > shown.tolerated &&
                     shown.loss - own > least_drops_on_slow + deviations_on_slow * chance;
  shown.stands = shown.queue > shown.tolerated || shown.drops_some;
  shown.suspect = shown.drops_some || lost > (rate_ ? drops : flood);
  loss_.note(shown.loss, shown.datagrams, shown.queue < shown.tolerated / 2 && !shown.suspect);
  const auto unseen = hidden_.judge(!shown.stands && shown.suspect, shown.loss);
  shown.hidden = unseen == HiddenQueue::Verdict::hidden;
  shown.own_only = unseen == HiddenQueue::Verdict::own;
  if (shown.own_only) loss_.find(hidden_.loss());
  shown.coming = shown.arriving / (1 - loss_.own());
}

void Downlink::judge_drops(const Shown& shown) {
  const double excess = shown.stands ? (shown.loss - loss_.own()) / (1 - loss_.own()) : 0;
  flooded_rounds_ = std::max(0, excess > flood ? flooded_rounds_ + rounds_to_forget : flooded_rounds_ - 1);
  drops_ = shown.hidden || excess > drops;
  clear_ = !shown.stands && !shown.suspect;
}

bool Downlink::begins(bool hidden, const Context& context, Instant now) const {
  const bool flooded = hidden || flooded_rounds_ > rounds_to_forget;
  return context.may_begin && flooded && now - doubted_at_ >= doubt_;
}

/// Whether the flood may still turn out to have been one. When its queue is empty, the rate is what it was.
bool Downlink::proves_first(const Shown& shown, Duration round_trip, Instant now) {
  first_->mistaken += shown.mistaken;
  proven_ = proven_ || first_->mistaken > shown.tolerated;
  first_->shown = first_->shown || shown.stands || proven_;
  if (!first_->shown && now - first_->at > round_trips_to_prove * round_trip) return false;
  const double emptied = (1 - most_drained) * shown.lasted;
  if (clear_ && shown.mistaken < still_emptied * emptied) begin_burst();
  return true;
}

/// Whether the queue is emptied, or just has been.
bool Downlink::drains(double mistaken, Duration round_trip, const Context& context, Instant now) {
  if (first_) return false;
  const double to_all = context.senders * static_cast<double>(context.datagram_bytes);
  const bool less = drain_.judge({.mistaken = mistaken,
                                  .round_trip = round_trip,
                                  .all_heard = BytesPerSecond{*rate_}.time_for(to_all),
                                  .drained = 1 - most_drained},
                                 now);
  if (!less && !drain_.ended()) return false;
  empty_rounds_ = idle_rounds_ = 0;
  rate_ = carried_.most() * (less ? most_drained : 1);
  return true;
}

void Downlink::begin_rate(double coming, Instant now) {
  drain_.begin_anew(now);
  rate_ = coming;
  begun_ = true;
  first_.reset();
  carried_ = limited_ = {};
  begin_burst();
}

/// The queue is full, and nobody has seen the link without it: it is emptied before the rate rises again.
bool Downlink::flooded_at_first(double loss, BytesPerSecond carried, const Context& context, Instant now) {
  const double own = loss_.known() ? loss_.own() : context.usual_loss;
  if (!context.may_begin || (loss - own) / (1 - own) <= flood || now - doubted_at_ < doubt_) return false;
  const double coming = carried.value / (1 - own);
  if (coming >= context.most.value) return false;
  begin_rate(coming, now);
  carried_.add(coming);
  rate_ = coming * most_drained;
  drops_ = true;
  first_ = First{now, coming};
  return true;
}

void Downlink::begin_burst() {
  empty_rounds_ = 0;
  idle_rounds_ = 0;
  if (!rate_ || (first_ && !first_->shown)) return;
  rate_ = std::max({*rate_, carried_.most(), first_ ? first_->carried : 0});
  first_.reset();
}

/// A queue that stands is to become shorter.
void Downlink::shorten(const Shown& shown) {
  if (first_) return;
  const double too_long = std::max(0.0, shown.queue - shown.tolerated / 2);
  const double drained = too_long / (drain_in_round_trips * shown.round_trip + shown.queue);
  const double on_slow = limited_.most() > 0 ? limited_.mean() : carried_.mean();
  rate_ = (shown.slow ? on_slow : carried_.most()) *
          std::max(most_drained, std::min(1 - drained, shown.drops_some ? after_drops_on_slow : 1.0));
}

void Downlink::rise() {
  idle_rounds_ = 0;
  *rate_ *= 1 + std::min(longest_step, shortest_step + further_steps * empty_rounds_);
  empty_rounds_ = std::min(empty_rounds_ + 1, 100);
}

bool Downlink::in_vain(double coming) {
  idle_rounds_ = !drops_ && coming < less_than_carried * carried_.most() ? idle_rounds_ + 1 : 0;
  return idle_rounds_ >= rounds_in_vain;
}

/// A queue that does not keep the link busy, although delays have shown that the link was flooded, stands at other
/// links, as those of the peers.
void Downlink::allow_for(double queue) {
  others_ = queue;
  begin_burst();
}

void Downlink::doubt(Instant now) {
  rate_.reset();
  first_.reset();
  idle_rounds_ = 0;
  doubt_ = std::clamp(2 * doubt_, first_time_of_doubt, longest_time_of_doubt);
  doubted_at_ = now;
}

std::optional<BytesPerSecond> Downlink::rate(Instant now) const {
  if (!rate_ || (round_ && now - round_->last > time_to_forget)) return std::nullopt;
  return BytesPerSecond{*rate_};
}

}  // namespace lbsp::transport
