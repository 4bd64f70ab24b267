#include "transport/core/granting.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lbsp::transport {
namespace {

/// On shorter paths, hosts and reports delay echoes as much as queues do.
constexpr Duration least_granted_path = std::chrono::milliseconds{10};
/// Less has been sent before an answer could change its rate.
constexpr double least_awaited_datagrams = 96;
/// Each peer is taken to lack so many more: what its repairs may need, and what it learns of its path by.
constexpr double further_datagrams = 3;
/// A message counts as half of its length, however little it lacks: what is known of it is a round trip old.
constexpr double part_of_length = 0.5;
/// Who lacks next to nothing may send this part of an equal share of the link.
constexpr double part_of_equal = 0.5;
/// What all lack is added up again after so much time.
constexpr Duration time_between_sums = std::chrono::milliseconds{1};
/// What a path may lose by itself, of what is lost in all without a queue, and besides. The first burst may flood
/// the link before anything is known of its queue.
constexpr double plausible = 2;
constexpr double plausible_besides = 0.03;
/// A path that loses so much, and whose queue was so much longer than it seemed, is taken to have lost it to the queue:
/// for so many datagrams.
constexpr double much_loss = 0.2;
constexpr Duration least_queue_to_drop = std::chrono::milliseconds{3};
constexpr double datagrams_of_doubted_loss = 8;
/// A peer is told its part before a leg if what it knows differs by more.
constexpr double hardly_different = 0.15;

/// Of the peer's. The way from it may carry shorter ones than the way to it, or is not searched as far.
std::size_t whole_datagram_of(const Peer& from) {
  return std::min(from.path.sizes.in_use(), from.inbound.long_arrival.bytes);
}

double least_awaited_of(const Peer& from) {
  return least_awaited_datagrams * static_cast<double>(from.path.sizes.in_use());
}

}  // namespace

void Granting::arrived(Peer& from, const SegmentHeader& header, std::size_t datagram_bytes, bool newest,
                       Instant now) {
  if (from.near || !state_.rules.bounds_flight) return;
  if (header.message >= from.inbound.newest && header.message.leg != Leg::early) {
    from.inbound.newest = header.message;
    from.inbound.newest_bytes = header.total_bytes;
  }
  const ArrivalGauge::Seen* seen = nullptr;
  if (newest && header.echo && header.echo->packets > 0)
    seen = &from.inbound.gauge.add(
        {.written_at = header.echo->arrival_microseconds + header.echo->hold_microseconds,
         .packets = from.inbound.in_turn.next(),
         .arrived = from.inbound.numbers.distinct() - from.inbound.in_turn.ahead()},
        now);
  add_up(now);
  if (seen != nullptr && may_grant() && all_.lengths >= least_awaited_of(from)) doubt_loss(from);
  if (newest) look_for_first_flood(from, datagram_bytes, now);
  if (2 * datagram_bytes < whole_datagram_of(from)) return;
  const bool alone = state_.downlink->seats() == 1;
  const Downlink::Arrival arrival{
      .peer = alone ? from.rank : Rank{state_.config.hosts[static_cast<std::size_t>(from.rank)]},
      .path = static_cast<std::uint32_t>(from.rank * state_.downlink->seats() + seat_),
      .bytes = datagram_bytes,
      .seen = seen,
      .round_trip = from.path.times.least()};
  const Downlink::Context context = context_of(from);
  state_.downlink->change([&](Downlink& downlink) {
    if (!downlink.arrived(arrival, now)) return;
    downlink.judge(arrival, context, now);
    state_.downlink->note_round();
  });
  take_back_drops();
}

Downlink::Context Granting::context_of(const Peer& from) const {
  const bool told = !state_.config.options.find_rate;
  const double most = told ? own_rate(state_.config).value * state_.downlink->seats() * state_.peers.far()
                           : highest_found_rate.value;
  return {.datagram_bytes = whole_datagram_of(from),
          .usual_loss = from.path.prior.loss,
          .may_begin = may_grant() && from.path.times.least() >= least_granted_path &&
                       all_.awaited >= least_awaited_of(from),
          .most = {most},
          .senders = all_.senders};
}

/// A round of the downlink's takes long enough for most of a first message to be sent in vain. All are told at once.
/// Rates that are still to be found drop as much at the peers' own links, and fall there.
void Granting::look_for_first_flood(const Peer& from, std::size_t datagram_bytes, Instant now) {
  if (state_.config.options.find_rate || state_.peers.far() + 1 < state_.peers.size() ||
      state_.peers.far() < FirstFlood::several)
    return;
  if (state_.granted_rate(now)) return;
  const auto seen = first_flood_.add({.peer = from.rank,
                                      .packets = from.inbound.numbers.next(),
                                      .arrived = from.inbound.numbers.next() - from.inbound.missing(),
                                      .bytes = datagram_bytes},
                                     now);
  if (!seen) return;
  bool flooded = false;
  state_.downlink->change([&](Downlink& downlink) {
    flooded = downlink.flooded_at_first(seen->loss, seen->carried, context_of(from), now);
  });
  if (!flooded) return;
  state_.downlink->note_round();
  take_back_drops();
  for (const Rank rank : state_.legs.sources()) {
    Peer& told = state_.peers[rank];
    if (!told.near && told.wait.awaited && !told.report.queued) state_.queue_report(told);
  }
}

/// If the first burst has filled a queue before anything was known of the path, that shows when it has left. What was
/// lost until then was dropped.
void Granting::doubt_loss(Peer& from) {
  const Duration longer = std::max<Duration>(least_queue_to_drop, from.path.times.least() / 10);
  if (from.inbound.gauge.was_longer(longer) && from_fraction(from.inbound.loss.report().loss) > much_loss)
    from.inbound.loss.doubt(datagrams_of_doubted_loss);
}

/// What a flood drops says nothing of the paths: they are not to have more redundancy for it, least of all then.
void Granting::take_back_drops() {
  const std::uint32_t rounds = state_.downlink->rounds();
  if (rounds == judged_rounds_) return;
  struct {
    bool flooded, clear, begun;
    double own_loss;
  } seen{};
  if (!state_.downlink->change([&](const Downlink& downlink) {
        seen = {downlink.flooded(), downlink.clear(), downlink.begun(), downlink.own_loss()};
      }))
    return;
  judged_rounds_ = rounds;
  const bool flooded = seen.flooded;
  if (!flooded && !seen.clear) return;
  for (const Rank rank : state_.peers.others()) {
    if (state_.peers[rank].near) continue;
    Inbound& inbound = state_.peers[rank].inbound;
    if (flooded) {
      if (seen.begun) {
        inbound.loss_before.limit(plausible * seen.own_loss + plausible_besides);
        inbound.loss_before.doubt(datagrams_of_doubted_loss);
      }
      inbound.loss = inbound.loss_before;
    } else {
      inbound.loss_before = inbound.loss;
    }
  }
}

void Granting::leg_begun(Instant now) {
  added_up_at_.reset();
  for (const Rank rank : state_.legs.sources()) {
    Peer& from = state_.peers[rank];
    if (from.near || from.report.queued || !from.wait.awaited) continue;
    const auto grant = rate_for(from, now);
    const double told = from.report.granted ? from.report.granted->value : 0;
    const double now_granted = grant ? grant->value : 0;
    if (std::abs(now_granted - told) > hardly_different * std::max(told, now_granted))
      state_.queue_report(from);
  }
}

/// Who has sent all is told what it may begin the next superstep with, if that is like this one.
std::optional<BytesPerSecond> Granting::rate_for(const Peer& to, Instant now) {
  const auto rate = to.near ? std::nullopt : state_.granted_rate(now);
  if (!rate) return std::nullopt;
  add_up(now);
  const double own = on_its_way(to) ? 0 : awaited_of(to);
  const double part = own > 0 ? own / std::max(own, all_.awaited) : length_of(to) / all_.lengths;
  const double equal = rate->value / std::max(all_.senders, 1.0);
  const double least = std::min(to.path.least_grant().value, part_of_equal * equal);
  const double wanted = std::max(rate->value * part, least);
  const double told = told_to(to);
  if (wanted <= told) return BytesPerSecond{wanted};
  const double others = all_.granted - (awaited_of(to) > 0 ? told : 0);
  return BytesPerSecond{std::max({std::min(wanted, rate->value - others), told, least})};
}

double Granting::told_to(const Peer& to) {
  return to.report.granted ? to.report.granted->value : 0;
}

/// All that the peer lacks, if none of it is lost: what it is told now, it heeds in what it sends next.
bool Granting::on_its_way(const Peer& from) {
  if (!from.report.granted) return false;
  double lacking = 0;
  for (const IncomingMessage& message : from.inbound.messages) {
    if (message.complete() || message.id().leg == Leg::early) continue;
    lacking += static_cast<double>(message.total_bytes() - message.arrived_bytes());
  }
  return lacking > 0 && lacking <= from.report.granted->value * seconds(from.path.times.least());
}

double Granting::length_of(const Peer& from) {
  return static_cast<double>(from.inbound.newest_bytes) +
         further_datagrams * static_cast<double>(from.path.sizes.in_use());
}

/// Of the message that is awaited and has not begun, as much as of the one before; 0 if nothing is awaited.
double Granting::awaited_of(const Peer& from) const {
  double bytes = 0;
  for (const IncomingMessage& message : from.inbound.messages) {
    if (message.complete() || message.id().leg == Leg::early) continue;
    const auto length = static_cast<double>(message.total_bytes());
    bytes += std::max(length - static_cast<double>(message.arrived_bytes()), part_of_length * length);
  }
  const bool begun = from.inbound.newest >= state_.legs.id();
  if (from.wait.awaited && !begun) bytes += static_cast<double>(from.inbound.newest_bytes);
  if (bytes == 0 && !from.wait.awaited) return 0;
  return bytes + further_datagrams * static_cast<double>(from.path.sizes.in_use());
}

void Granting::add_up(Instant now) {
  if (added_up_at_ && now - *added_up_at_ < time_between_sums) return;
  added_up_at_ = now;
  HostDownlink::Demand own;
  for (const Rank rank : state_.peers.others()) {
    const Peer& from = state_.peers[rank];
    if (from.near) continue;
    const double awaited = awaited_of(from);
    if (awaited > 0) {
      own.senders += 1;
      own.granted += told_to(from);
    }
    own.awaited += awaited;
    own.lengths += length_of(from);
  }
  all_ = state_.downlink->demand(seat_, own, now);
}

}  // namespace lbsp::transport
