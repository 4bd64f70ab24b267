#include "transport/core/receiving.hpp"

#include <chrono>
#include <fmt/format.h>
#include <new>

#include "transport/early_messages.hpp"
#include "transport/path_log.hpp"
#include "transport/paths/loss_estimate.hpp"
#include "transport/wire/packet_number.hpp"

namespace lbsp::transport {
namespace {

/// Nobody loses so many datagrams in a row and is still heard. Forged numbers thus reach the next epoch at
/// most, and cannot make this rank derive key after key.
constexpr std::uint64_t farthest_packet = DirectionKey::packets_per_epoch;
static_assert(farthest_packet <= packet_number_window / 2 &&
                  ReplayWindow::window_packets <= packet_number_window / 2,
              "every number that may be taken is told by its lower part");

/// After its echo has been taken; `echoed` is what was known before.
void log_arrival(const EndpointState& state, const Peer& from, const ClearHeader& header, std::size_t bytes,
                 std::uint64_t echoed, Instant now) {
  PathLog* const log = state.config.log.get();
  if (log == nullptr) return;
  const ReplayWindow& numbers = from.inbound.numbers;
  log->count({from.rank, numbers.next(), from.inbound.missing()});
  log->add({.what = PathEvent::What::received,
            .kind = static_cast<std::uint8_t>(header.kind),
            .peer = from.rank,
            .at = now,
            .number = header.packet_number,
            .bytes = static_cast<std::uint32_t>(bytes),
            .acknowledged = from.echoed.packets > echoed ? from.echoed.packets : 0});
  if (!from.path.times.measured()) return;
  log->add_measured({.what = PathEvent::What::measured,
                     .peer = from.rank,
                     .at = now,
                     .round_trip = from.path.times.round_trip(),
                     .least = from.path.times.least(),
                     .rate = state.rate.rate(),
                     .loss = from_fraction(from.path.loss.loss)});
}

}  // namespace

std::optional<HeardFrom> Receiving::take(std::span<std::byte> datagram, const Arrival& arrival) {
  // It counts as rejected until it has proved to make sense.
  ++state_.counters.datagrams_rejected;
  auto header = read_clear_header(datagram);
  if (!header || !is_for_this_rank(*header)) return std::nullopt;
  Peer& from = state_.peers[header->source];
  const std::uint64_t packet = whole_packet_number(header->packet_number, from.inbound.numbers.next());
  header->packet_number = packet;
  if (packet > from.inbound.numbers.next() + farthest_packet) return std::nullopt;
  if (!from.inbound.numbers.is_new(packet)) return take_copy(from, packet, datagram);
  const auto body = from.inbound.opening.open(packet, datagram.first(clear_header_bytes),
                                              datagram.subspan(clear_header_bytes));
  if (!body) return std::nullopt;
  const bool newest = packet >= from.inbound.numbers.next();
  const auto newest_of = newest ? std::optional(HeardFrom{from.rank}) : std::nullopt;
  const Instant now = arrival.at;
  const bool gap = from.inbound.enter(*header, datagram.size(), from.path.times.round_trip(), arrival);
  ++state_.counters.datagrams_received;
  const std::uint64_t echoed = from.echoed.packets;
  const bool measured = from.path.times.measured();
  const bool failed = rooms_.control.failure().has_value();
  if (failed || take_body(from, header->kind, *body, datagram.size(), now))
    --state_.counters.datagrams_rejected;
  if (!measured && from.path.times.measured()) rooms_.recovery.path_measured(from, now);
  rooms_.in_flight.heard(from, now);
  log_arrival(state_, from, *header, datagram.size(), echoed, now);
  // Of a job that is outlived, whoever does not hear this rank gives it up.
  if (!failed && from.path.breaker.open() && !state_.config.options.outlives_ranks)
    rooms_.control.fail(rooms_.liveness.nothing_arrives(from, now), now);
  if (rooms_.control.failure()) return newest_of;
  // A report calls for no report, or two ranks that both lack something would never be quiet.
  const bool data = header->kind == DatagramKind::data || header->kind == DatagramKind::coded;
  if (data || gap) rooms_.recovery.datagram_arrived(from, gap, now);
  return newest_of;
}

/// The peer's own datagram may be the later one of two, and a copy from elsewhere have come before.
std::optional<HeardFrom> Receiving::take_copy(Peer& from, std::uint64_t packet,
                                              std::span<std::byte> datagram) {
  if (!rooms_.addresses.asks(from.rank)) return std::nullopt;
  const auto body = from.inbound.opening.open(packet, datagram.first(clear_header_bytes),
                                              datagram.subspan(clear_header_bytes));
  return body ? std::optional(HeardFrom{.rank = from.rank, .copy = true}) : std::nullopt;
}

bool Receiving::is_for_this_rank(const ClearHeader& header) const {
  const EndpointConfig& config = state_.config;
  return header.job_tag == job_tag_ && header.destination == config.rank && header.source != config.rank &&
         header.source < config.size;
}

bool Receiving::take_body(Peer& from, DatagramKind kind, std::span<const std::byte> body,
                          std::size_t datagram_bytes, Instant now) {
  WireReader in(body);
  const bool asks_nothing = kind == DatagramKind::fin || kind == DatagramKind::abort || is_question(kind);
  if (!asks_nothing) rooms_.farewell.asked(from.rank, now);
  switch (kind) {
    case DatagramKind::data:
      return take_segment(from, body, false, datagram_bytes, now);
    case DatagramKind::coded:
      return state_.rules.codes && take_segment(from, body, true, datagram_bytes, now);
    case DatagramKind::status:
      return take_report(from, in, now);
    case DatagramKind::ack:
      return take_acknowledgement(from, in, now);
    case DatagramKind::size:
      return take_size(from, in, datagram_bytes, now);
    case DatagramKind::fin:
      return take_fin(from, in, now);
    case DatagramKind::abort:
      return take_abort(in, now);
    case DatagramKind::address:
      return rooms_.addresses.take(from, in);
    case DatagramKind::view:
    case DatagramKind::knock:
    case DatagramKind::seat:
      break;  // is for the agreement, which an endpoint alone does not have
  }
  return false;
}

/// A peer may be one superstep ahead.
bool Receiving::may_come(MessageId id) const {
  const std::uint32_t ahead = id.leg == Leg::early && state_.rules.takes_early ? most_early : 0;
  return id.superstep <= state_.legs.position().superstep + 1 + ahead;
}

bool Receiving::take_segment(Peer& from, std::span<const std::byte> body, bool coded,
                             std::size_t datagram_bytes, Instant now) {
  SegmentHeader header;
  const std::size_t header_bytes = read(body, coded, state_.legs.position().superstep, header);
  if (header_bytes == 0) return false;
  if (header.echo) rooms_.in_flight.echoed(from, *header.echo, now);
  if (!may_come(header.message)) return false;
  try {
    if (!rooms_.assembly.take(from, header, body.subspan(header_bytes), coded, now)) return false;
  } catch (const std::bad_alloc&) {
    rooms_.control.fail({AbortReason::out_of_memory, state_.config.rank, state_.legs.position().superstep, 0,
                         fmt::format("{} bytes from rank {}", header.total_bytes, from.rank)},
                        now);
    return true;
  }
  rooms_.granting.arrived(from, header, datagram_bytes, from.inbound.newest_at == now, now);
  rooms_.recovery.segment_arrived(from, header, now);
  rooms_.farewell.update(from.rank, now);
  return true;
}

bool Receiving::take_report(Peer& from, WireReader& in, Instant now) {
  auto header = read_status_header(in);
  if (!header) return false;
  rooms_.in_flight.marked(from, *header, now);
  // Before the echo, or the rank would look for a bound where its peer has one. Of one that others have overtaken, the
  // grant is an old one.
  if (from.inbound.newest_at == now) rooms_.in_flight.granted(from, *header, now);
  const std::uint64_t echoed = from.echoed.packets;
  rooms_.in_flight.echoed(from, header->echo, now);
  if (from.echoed.packets > echoed)
    from.answers.told(std::chrono::microseconds{header->echo.hold_microseconds});
  rooms_.liveness.take_statement(from, *header, now);
  rooms_.in_flight.told(from, *header, now);
  if (!rooms_.recovery.report_arrived(from, *header, in, now)) return false;
  if (!header->partial) rooms_.sizes.told(from, now);
  return true;
}

bool Receiving::take_acknowledgement(Peer& from, WireReader& in, Instant now) {
  auto acknowledgement = read_segment_ack(in);
  if (!acknowledgement) return false;
  rooms_.in_flight.echoed(from, acknowledgement->echo, now);
  return rooms_.recovery.acknowledgement_arrived(from, *acknowledgement, now);
}

bool Receiving::take_size(Peer& from, WireReader& in, std::size_t datagram_bytes, Instant now) {
  auto header = read_size_header(in);
  if (!header || !state_.rules.cuts_anew) return false;
  rooms_.in_flight.echoed(from, header->echo, now);
  if (!rooms_.sizes.take(from, *header, datagram_bytes, now)) return false;
  rooms_.sizes.told(from, now);
  return true;
}

bool Receiving::take_fin(Peer& from, WireReader& in, Instant now) {
  auto header = read_fin_header(in);
  if (!header) return false;
  rooms_.in_flight.echoed(from, header->echo, now);
  from.forget_what_it_needs();
  rooms_.farewell.heard(from.rank, header->heard, now);
  return true;
}

bool Receiving::take_abort(WireReader& in, Instant now) {
  const auto notice = read_abort_notice(in);
  if (!notice || notice->subject >= state_.config.size) return false;
  rooms_.control.fail(*notice, now);
  return true;
}

}  // namespace lbsp::transport
