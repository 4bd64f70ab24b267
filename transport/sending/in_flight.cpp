#include "transport/sending/in_flight.hpp"

#include <algorithm>
#include <chrono>

#include "transport/paths/datagram_sizes.hpp"
#include "transport/peers/calling.hpp"

namespace lbsp::transport {
namespace {

/// Shorter paths do not leave the building: what is late there waits in hosts, and a lower rate would not help.
constexpr Duration least_path = std::chrono::milliseconds{1};
/// Hosts delay datagrams by less at once.
constexpr Duration least_overtaken_by = std::chrono::milliseconds{5};
/// In which next to nothing of what is sent arrives.
constexpr int round_trips_before_break = 20;

}  // namespace

InFlight::InFlight(EndpointState& state)
    : state_(state),
      first_(static_cast<std::size_t>(state.peers.far()), first_datagram_bytes(state.config.options),
             finds_first_rate(state)) {}

void InFlight::echoed(Peer& from, Echo& echo, Instant now) {
  make_whole(echo, from.echoed.packets, from.echoed.last, now);
  if (echo.packets <= from.echoed.packets || echo.packets > from.outbound.next_packet) return;
  const std::uint32_t arrived = echo.arrived - from.echoed.last.arrived;
  note_echo(from, echo, now);
  const std::uint64_t on_way = from.path.times.bytes_on_way();
  prove_base(from, echo);
  note_newest(from, echo, arrived, now);
  from.path.window.arrived(on_way - from.path.times.bytes_on_way(), on_way);
  if (from.echoed.newest) judge_rates(from, echo, now);
  if (!from.outbound.held_back.empty() && !full(from)) state_.release_held_back(from);
}

void InFlight::note_echo(Peer& from, const Echo& echo, Instant now) {
  from.echoed.last = {echo.arrival_microseconds, echo.arrived,
                      now - std::chrono::microseconds{echo.hold_microseconds}};
  from.echoed.packets = echo.packets;
  from.echoed.at = now;
  take_answer(from, now);
  from.path.loss = echo.loss;
  from.path.loss_at_bound.echoed(echo.packets, echo.arrived);
  watch(from, echo, now);
}

/// Whether the path carries datagrams as long as the first ones.
void InFlight::prove_base(Peer& from, const Echo& echo) {
  if (from.path.sizes.base_known()) return;
  const std::size_t base = from.path.sizes.in_use();
  from.path.sizes.arrived(echo.arrived, from.path.times.shorter(base, echo.packets));
  if (from.path.sizes.base_known()) from.path.arrived(base);
}

/// The newest of the datagrams that have arrived since the echo before, and how long the path lets them be. `arrived`:
/// so many have.
void InFlight::note_newest(Peer& from, const Echo& echo, std::uint32_t arrived, Instant now) {
  // Where datagrams overtake others, one that did says nothing of the way that the others take.
  const bool in_turn = from.inbound.newest_at == now || from.inbound.order.late_by() == Duration{0};
  from.echoed.newest = from.path.times.echoed(echo, in_turn, now, [&](const PathEstimate::Sent& sent) {
    // Questions are longer than what is in use, and may be too long.
    if (sent.bytes <= from.path.sizes.in_use()) from.path.narrow.passed(sent.bytes);
  });
  const auto& newest = from.echoed.newest;
  if (!newest) return;
  if (arrived > 0) from.path.narrow.echoed(newest->bytes, arrived - 1);
}

/// What the newest datagram that has arrived tells of the rates at which to send.
void InFlight::judge_rates(Peer& from, const Echo& echo, Instant now) {
  const auto& newest = *from.echoed.newest;
  from.path.arrived(newest.bytes);
  from.echoed.largest = std::max(from.echoed.largest, newest.bytes);
  const TrainMark mark{.train = newest.train,
                       .packets = echo.packets,
                       .arrived = echo.arrived,
                       .sent_at = newest.at,
                       .arrived_at = echo.arrival_microseconds,
                       .bytes = newest.bytes_so_far,
                       .bytes_to_all = newest.bytes_to_all,
                       .data = 2 * newest.bytes >= from.path.sizes.in_use(),
                       .loss = from_fraction(echo.loss.loss),
                       .loss_after_loss = from_fraction(echo.loss.loss_after_loss)};
  judge_first(from, mark, now);
  // Datagrams that were too long for a path which has become narrow tell nothing of rates.
  if (first_data_.over() && echo.packets <= from.path.narrow_until) {
    from.path.rate.begin_from(mark);
    from.path.train_mark = {};
    return;
  }
  bound_rate(from, mark, now);
  if (tells_of_own_rate(from) && state_.rate.echoed(from.path.train_mark, mark, now))
    state_.reports.set_rate(state_.rate.rate(), now);
}

/// Whether what arrives there says how fast this rank may send: nothing else limits it.
bool InFlight::tells_of_own_rate(const Peer& to) const {
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

/// What waited for the first echoes may go then, to whomever.
void InFlight::judge_first(Peer& to, const TrainMark& mark, Instant now) {
  if (to.near || first_.over()) return;
  const auto carried = first_.echoed(to.rank, mark);
  state_.rate_shown = first_.over();
  if (first_.over() && !carried)
    first_data_.begin(state_.peers.far(), state_.rate.sharers(), sent_to(longest_round_trip()),
                      mark.bytes_to_all);
  if (carried && state_.rate.look_from(*carried, RateFinder::ShownBy::first_flight, now))
    state_.reports.set_rate(state_.rate.rate(), now);
  release_what_may_go();
}

/// The same for what waited for the first data. The least round trip may be that of a datagram that overtook others:
/// then the next ones are later at once.
void InFlight::judge_first_data(Peer& to, const TrainMark& mark, const BurstMeter::Seen& seen,
                                double variation, Instant now) {
  if (first_data_.over()) return;
  const Duration later = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(variation));
  const Duration round_trip = to.path.times.least() + (later > least_overtaken_by ? later : Duration{0});
  FirstData::Sent sent = sent_to(round_trip);
  sent.to_one = state_.sends_most_to(to);
  const auto carried = first_data_.echoed(to.rank, seen, mark.bytes_to_all, sent, now);
  if (carried && first_data_.echoes_soon() && state_.sends_little() && state_.rate.sharers() == 1) {
    bursts_.begin(*carried);
    limit_rate(now);
  } else if (carried && state_.rate.look_from(BytesPerSecond{carried->value * state_.rate.sharers()},
                                              RateFinder::ShownBy::first_flight, now)) {
    state_.reports.set_rate(state_.rate.rate(), now);
  }
  release_what_may_go();
}

FirstData::Sent InFlight::sent_to(Duration round_trip) const {
  return {state_.rate.rate(), state_.leg_bytes + state_.waiting_bytes, state_.rate.bytes_sent(), round_trip};
}

/// Of those that have been measured.
Duration InFlight::longest_round_trip() const {
  Duration longest{0};
  for (const Rank rank : state_.peers.others()) {
    const Peer& other = state_.peers[rank];
    if (!other.near && other.path.times.measured()) longest = std::max(longest, other.path.times.least());
  }
  return longest;
}

void InFlight::release_what_may_go() {
  for (const Rank rank : state_.peers.others()) {
    Peer& other = state_.peers[rank];
    if (!other.outbound.held_back.empty() && !full(other)) state_.release_held_back(other);
  }
}

void InFlight::marked(Peer& from, const StatusHeader& status, Instant now) {
  Echo echo = status.echo;
  make_whole(echo, from.echoed.packets, from.echoed.last, now);
  const Instant newest = from.echoed.newest ? from.echoed.newest->at : Instant{};
  from.path.ecn.told(status.marks, echo.arrived, newest, now);
}

void InFlight::watch(Peer& to, const Echo& echo, Instant now) {
  if (to.near || !state_.rules.bounds_flight) return;
  CircuitBreaker& breaker = to.path.breaker;
  const Duration patience = std::max<Duration>(state_.config.options.peer_timeout,
                                               round_trips_before_break * to.path.times.least());
  if (!breaker.told(echo.packets, echo.arrived, to.outbound.next_packet, patience, now)) return;
  const std::size_t datagram_bytes = to.path.sizes.in_use();
  std::optional<BytesPerSecond> most;
  if (const auto datagrams = breaker.most_per_second())
    most = BytesPerSecond{*datagrams * static_cast<double>(datagram_bytes)};
  to.path.rate.hold(most, datagram_bytes, now);
}

void InFlight::granted(Peer& from, const StatusHeader& status, Instant now) {
  if (from.near || !state_.rules.bounds_flight) return;
  std::optional<BytesPerSecond> rate = status.granted;
  if (rate) rate = std::max(*rate, from.path.least_heeded());
  from.path.rate.grant(rate, from.path.sizes.in_use(), now);
}

/// Then the peer sees to it that no queue stands before it. If all whom this rank sends to grant more together than it
/// sends, its own rate is the limit, which could not rise otherwise: they grant more only when what they grant is used.
bool InFlight::limited_by_grant(const Peer& to) const {
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

void InFlight::told(Peer& from, const StatusHeader& status, Instant now) {
  from.outbound.flight.told(status.room, status.overflowed, from.outbound.next_packet, from.echoed.packets,
                            now);
  if (!from.outbound.held_back.empty() && !full(from)) state_.release_held_back(from);
}

void InFlight::heard(Peer& from, Instant now) {
  from.path.times.heard(now);
  if (!from.outbound.held_back.empty() && !full(from)) state_.release_held_back(from);
}

/// Where a rate was told, the first guess of a round trip says how much the path holds, and the first sample is
/// believed. Nothing else says that a rate which is looked for is carried.
bool InFlight::full(const Peer& to) const {
  if (!state_.rules.bounds_flight) return false;
  if (to.path.sizes.on_trial()) return true;
  if (!to.near && (first_.full(state_.rate.bytes_sent()) ||
                   first_data_.full(state_.rate.bytes_sent(), state_.leg_bytes + state_.waiting_bytes)))
    return true;
  if (state_.proves_paths && !to.near && to.path.times.bytes_on_way() >= to.path.window.bytes()) return true;
  if (to.outbound.flight.within_room(to.outbound.next_packet, to.echoed.packets)) return false;
  const PathEstimate& times = to.path.times;
  const Duration guess = state_.config.options.find_rate ? Duration{0} : times.guessed();
  const bool measured = times.known() || times.measured();
  const double on_path = datagrams_on_path(to.near ? near_rate(state_.config) : state_.rate.share(),
                                           measured ? times.least() : guess, to.path.sizes.in_use());
  return to.outbound.flight.reached(to.outbound.next_packet, to.echoed.packets, on_path,
                                    times.known() || guess > Duration{0});
}

}  // namespace lbsp::transport
