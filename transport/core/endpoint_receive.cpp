#include <algorithm>
#include <new>

#include "transport/core/endpoint.hpp"

namespace lbsp::transport {
namespace {

/// Nobody loses so many datagrams in a row and is still heard. Forged numbers thus reach the next epoch at
/// most, and cannot make this rank derive key after key.
constexpr std::uint64_t farthest_packet = DirectionKey::packets_per_epoch;

/// What is left of the smallest datagram; a sender that claims less would make the receiver keep more state
/// than message.
constexpr std::size_t least_segment_bytes = min_datagram_bytes - data_overhead_bytes;

}  // namespace

void Endpoint::handle_datagram(std::span<std::byte> datagram, Instant now) {
  liveness_.forgive_own_sleep(now);
  const auto header = read_clear_header(datagram);
  if (!header || header->job_tag != job_tag_ || header->destination != state_.config.rank ||
      header->source == state_.config.rank || header->source >= state_.config.size) {
    ++state_.counters.datagrams_rejected;
    return;
  }
  Peer& other = peer(header->source);
  const std::uint64_t packet = header->packet_number;
  if (!other.arrived.is_new(packet) || packet > other.arrived.next() + farthest_packet) {
    ++state_.counters.datagrams_rejected;
    return;
  }
  const auto body =
      other.opening.open(packet, datagram.first(clear_header_bytes), datagram.subspan(clear_header_bytes));
  if (!body) {
    ++state_.counters.datagrams_rejected;
    return;
  }
  const bool newest = packet >= other.arrived.next();
  const bool gap = packet > other.arrived.next();
  if (newest) {
    other.arrival_loss.newest_arrived(packet - other.arrived.next());
  } else {
    other.arrival_loss.late_arrived();
  }
  other.arrived.enter(packet);
  if (newest) other.newest_arrival = now;
  other.last_heard = now;
  other.largest_arrived = std::max(other.largest_arrived, datagram.size());
  ++state_.counters.datagrams_received;
  if (failure_) return;
  if (!handle_body(*header, *body, now)) ++state_.counters.datagrams_rejected;
  // A report calls for no report, or two ranks that both lack something would never be quiet.
  const bool data = header->kind == DatagramKind::data || header->kind == DatagramKind::coded;
  if (!failure_ && (data || gap)) recovery_->datagram_arrived(header->source, gap, now);
}

bool Endpoint::handle_body(const ClearHeader& header, std::span<const std::byte> body, Instant now) {
  WireReader in(body);
  const bool farewell = header.kind == DatagramKind::fin || header.kind == DatagramKind::abort;
  if (!farewell) farewell_.asked(header.source, now);
  switch (header.kind) {
    case DatagramKind::data:
      return handle_segment(header.source, in, false, now);
    case DatagramKind::coded:
      return recovery_->codes() && handle_segment(header.source, in, true, now);
    case DatagramKind::status:
      return handle_status(header.source, in, now);
    case DatagramKind::ack:
      return handle_ack(header.source, in, now);
    case DatagramKind::fin:
      return handle_fin(header.source, in, now);
    case DatagramKind::abort:
      return handle_abort(in, now);
  }
  return false;
}

/// Completes the packet number, of which the wire has the lower half: it is near to the last one's.
void Endpoint::take_echo(Rank from, Echo& echo, Instant now) {
  Peer& other = peer(from);
  const auto ahead = static_cast<std::int32_t>(static_cast<std::uint32_t>(echo.packets) -
                                               static_cast<std::uint32_t>(other.echoed_packets));
  if (ahead < 0 && other.echoed_packets < static_cast<std::uint64_t>(-std::int64_t{ahead})) return;
  echo.packets = other.echoed_packets + static_cast<std::uint64_t>(std::int64_t{ahead});
  if (ahead <= 0 || echo.packets > other.next_packet) return;
  other.echoed_packets = echo.packets;
  other.echoed_at = now;
  other.reported_loss = echo.loss;
  other.newest_echoed.reset();
  if (const auto newest = other.path.echoed(echo, now)) {
    other.newest_echoed = newest;
    other.narrow.arrived(newest->bytes);
    other.largest_echoed = std::max(other.largest_echoed, newest->bytes);
    const TrainMark mark{newest->train, echo.packets, echo.arrived, newest->at, echo.arrival_microseconds};
    if (state_.rate.echoed(other.train_mark, mark, now)) state_.reports.set_rate(state_.rate.rate(), now);
  }
  if (!other.held_back.empty() && !too_much_in_flight(other)) state_.release_held_back(from);
}

void Endpoint::take_room(Rank from, const StatusHeader& status, Instant now) {
  Peer& other = peer(from);
  other.flight.told(status.room, status.overflowed, other.next_packet, other.echoed_packets, now);
  if (!other.held_back.empty() && !too_much_in_flight(other)) state_.release_held_back(from);
}

bool Endpoint::handle_segment(Rank from, WireReader& in, bool coded, Instant now) {
  auto header = read_segment_header(in);
  if (!header) return false;
  take_echo(from, header->echo, now);
  if (header->message.superstep > state_.position.superstep + 1) return false;
  recovery_->begun_by(from, header->message, now);
  if (is_past(header->message)) {
    ++state_.counters.segments_duplicate;
    recovery_->segment_arrived(from, *header, peer(from).incoming.find(header->message), now);
    return true;
  }
  IncomingMessage* message = open_incoming(from, *header, now);
  if (message == nullptr) return false;
  if (recovery_->cuts_anew() && is_of_older_cut(peer(from), *message, *header)) {
    ++state_.counters.segments_duplicate;
    recovery_->segment_arrived(from, *header, message, now);
    return true;
  }
  take_size_of(peer(from), header->segment_bytes);
  const bool was_complete = message->complete();
  switch (accept(*message, *header, in.rest(), coded, from, now)) {
    case IncomingMessage::Accepted::contradiction:
      return false;
    case IncomingMessage::Accepted::duplicate:
      ++state_.counters.segments_duplicate;
      break;
    case IncomingMessage::Accepted::segment:
      peer(from).idle_reports = 0;
      peer(from).progress_at = now;
      break;
  }
  if (failure_) return true;
  if (!was_complete && message->complete()) message_arrived(from, *message);
  recovery_->segment_arrived(from, *header, message, now);
  return true;
}

/// Both ends of a path mostly find the same limit: what a peer does not send will not reach it either.
/// Messages that are on their way stay as they are, in case they do reach it.
void Endpoint::take_size_of(Peer& other, std::size_t segment_bytes) {
  const std::size_t bytes = std::max(segment_bytes + data_overhead_bytes, min_datagram_bytes);
  other.datagram_bytes = std::min(other.datagram_bytes, bytes);
}

/// Whether the segment is of an older cut than the message arrives in, or comes after everything has arrived:
/// then it says nothing. With a segment of a newer, shorter cut the message begins again.
bool Endpoint::is_of_older_cut(Peer& other, IncomingMessage& message, const SegmentHeader& header) {
  const bool makes_sense = header.total_bytes == message.total_bytes() &&
                           header.segment_bytes >= least_segment_bytes &&
                           segments_of(header.total_bytes, header.segment_bytes) <= UINT32_MAX;
  if (header.segment_bytes == message.segment_bytes() || !makes_sense) return false;
  if (header.segment_bytes > message.segment_bytes() || message.complete()) return true;
  message.restart(header.segment_bytes);
  other.report_cursor = {};
  return false;
}

/// A coded segment is kept, and may be decoded, in memory of its own; if there is none, the job ends.
IncomingMessage::Accepted Endpoint::accept(IncomingMessage& message, const SegmentHeader& header,
                                           std::span<const std::byte> payload, bool coded, Rank from,
                                           Instant now) {
  try {
    return coded ? message.accept_coded(header, payload, now) : message.accept(header, payload, now);
  } catch (const std::bad_alloc&) {
    fail_for_memory(from, header.total_bytes, now);
    return IncomingMessage::Accepted::duplicate;
  }
}

void Endpoint::fail_for_memory(Rank from, std::uint64_t bytes, Instant now) {
  fail({AbortReason::out_of_memory, state_.config.rank, state_.position.superstep, 0,
        std::to_string(bytes) + " bytes from rank " + std::to_string(from)},
       now);
}

/// The message that the segment belongs to; made, if this is its first, within the ceiling. None if the
/// header makes no sense, or there is no memory, which ends the job.
IncomingMessage* Endpoint::open_incoming(Rank from, const SegmentHeader& header, Instant now) {
  Peer& other = peer(from);
  if (IncomingMessage* message = other.incoming.find(header.message)) return message;
  if (header.total_bytes > state_.config.options.max_message_bytes ||
      header.segment_bytes < least_segment_bytes) {
    return nullptr;
  }
  const std::uint64_t segments = segments_of(header.total_bytes, header.segment_bytes);
  if (segments > UINT32_MAX || header.segment >= segments) return nullptr;
  try {
    return &other.incoming.add(IncomingMessage(header));
  } catch (const std::bad_alloc&) {
    fail_for_memory(from, header.total_bytes, now);
    return nullptr;
  }
}

void Endpoint::message_arrived(Rank from, const IncomingMessage& message) {
  best_arrival_rate_ = std::max(best_arrival_rate_, message.arrival_rate());
  Peer& other = peer(from);
  if (!state_.leg.active || message.id() != state_.leg.id || !other.awaited) return;
  other.awaited = false;
  --state_.leg.awaited;
  recovery_->message_arrived();
}

bool Endpoint::handle_status(Rank from, WireReader& in, Instant now) {
  auto header = read_status_header(in);
  if (!header) return false;
  take_echo(from, header->echo, now);
  liveness_.take_statement(from, *header, now);
  take_room(from, *header, now);
  return recovery_->report_arrived(from, *header, in, now);
}

bool Endpoint::handle_ack(Rank from, WireReader& in, Instant now) {
  auto ack = read_segment_ack(in);
  if (!ack) return false;
  take_echo(from, ack->echo, now);
  return recovery_->acknowledgement_arrived(from, *ack, now);
}

bool Endpoint::handle_fin(Rank from, WireReader& in, Instant now) {
  auto header = read_fin_header(in);
  if (!header) return false;
  take_echo(from, header->echo, now);
  Peer& other = peer(from);
  other.outgoing.remove_if([](const OutgoingMessage&) { return true; });
  other.held_back.clear();
  farewell_.heard(from, header->heard, now);
  return true;
}

bool Endpoint::handle_abort(WireReader& in, Instant now) {
  const auto notice = read_abort_notice(in);
  if (!notice || notice->subject >= state_.config.size) return false;
  fail(*notice, now);
  return true;
}

}  // namespace lbsp::transport
