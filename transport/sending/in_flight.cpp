#include "transport/sending/in_flight.hpp"

#include <algorithm>
#include <chrono>

#include "transport/paths/datagram_sizes.hpp"
#include "transport/peers/calling.hpp"

namespace lbsp::transport {
namespace {

/// In which next to nothing of what is sent arrives.
constexpr int round_trips_before_break = 20;

}  // namespace

InFlight::InFlight(EndpointState& state)
    : state_(state), first_(state), room_(state, first_), bounds_(state, first_, room_) {}

void InFlight::echoed(Peer& from, Echo& echo, Instant now) {
  make_whole(echo, from.echoed.packets, from.echoed.last, now);
  if (echo.packets <= from.echoed.packets || echo.packets > from.outbound.next_packet) return;
  const std::uint32_t arrived = echo.arrived - from.echoed.last.arrived;
  note_echo(from, echo, now);
  prove_base(from, echo);
  note_newest(from, echo, arrived, now);
  if (from.echoed.newest) judge_rates(from, echo, now);
  room_.release(from);
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
  if (!from.path.sizes.base_open()) return;
  const std::size_t base = from.path.sizes.in_use();
  from.path.sizes.arrived(echo.arrived, from.path.times.shorter(base, echo.packets));
  if (!from.path.sizes.base_open()) from.path.arrived(base);
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
  if (!from.near && !first_.over()) {
    first_.judge(from, mark, now);
    room_.release_to_all();
  }
  // Datagrams that were too long for a path which has become narrow tell nothing of rates.
  if (first_.data_over() && echo.packets <= from.path.narrow_until) {
    from.path.rate.begin_from(mark);
    from.path.train_mark = {};
    return;
  }
  bounds_.bound(from, mark, now);
  if (bounds_.tells_of_own_rate(from) && state_.rate.echoed(from.path.train_mark, mark, now))
    state_.reports.set_rate(state_.rate.rate(), now);
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

void InFlight::told(Peer& from, const StatusHeader& status, Instant now) {
  from.outbound.flight.told(status.room, status.overflowed, from.outbound.next_packet, from.echoed.packets,
                            now);
  room_.release(from);
}

void InFlight::heard(Peer& from, Instant now) {
  from.path.times.heard(now);
  room_.release(from);
}

}  // namespace lbsp::transport
