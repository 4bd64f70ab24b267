#include <algorithm>
#include <new>

#include "transport/core/endpoint.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// A report after this many datagrams at the latest, or half the room that the sender has been told, so that a
/// fast sender's window stays open.
constexpr std::uint32_t datagrams_per_report = 64;
/// After this many reports without an arrival, the time between reports doubles with each.
constexpr std::uint32_t reports_before_backoff = 8;
constexpr std::uint32_t most_doublings = 8;
constexpr Duration longest_report_interval = 250ms;

/// Nobody loses so many datagrams in a row and is still heard. Forged numbers thus reach the next epoch at
/// most, and cannot make this rank derive key after key.
constexpr std::uint64_t farthest_packet = DirectionKey::packets_per_epoch;

/// What is left of the smallest datagram; a sender that claims less would make the receiver keep more state
/// than message.
constexpr std::size_t least_segment_bytes = min_datagram_bytes - data_overhead_bytes;

bool has_incomplete(const OpenMessages<IncomingMessage>& messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [](const IncomingMessage& message) { return !message.complete(); });
}

std::uint64_t unacknowledged(const OpenMessages<OutgoingMessage>& messages) {
  std::uint64_t segments = 0;
  for (const OutgoingMessage& message : messages)
    segments += message.unacknowledged();
  return segments;
}

}  // namespace

void Endpoint::handle_datagram(std::span<std::byte> datagram, Instant now) {
  forgive_own_sleep(now);
  const auto header = read_clear_header(datagram);
  if (!header || header->job_tag != job_tag_ || header->destination != config_.rank ||
      header->source == config_.rank || header->source >= config_.size) {
    ++counters_.datagrams_rejected;
    return;
  }
  Peer& other = peer(header->source);
  const std::uint64_t packet = header->packet_number;
  if (!other.arrived.is_new(packet) || packet > other.arrived.next() + farthest_packet) {
    ++counters_.datagrams_rejected;
    return;
  }
  const auto body =
      other.opening.open(packet, datagram.first(clear_header_bytes), datagram.subspan(clear_header_bytes));
  if (!body) {
    ++counters_.datagrams_rejected;
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
  ++counters_.datagrams_received;
  if (failure_) return;
  if (!handle_body(*header, *body, now)) ++counters_.datagrams_rejected;
  // A report calls for no report, or two ranks that both lack something would never be quiet.
  const bool data = header->kind == DatagramKind::data || header->kind == DatagramKind::coded;
  if (receiver_driven() && !failure_ && (data || gap)) plan_report(header->source, gap, now);
}

bool Endpoint::handle_body(const ClearHeader& header, std::span<const std::byte> body, Instant now) {
  WireReader in(body);
  const bool farewell = header.kind == DatagramKind::fin || header.kind == DatagramKind::abort;
  if (!farewell) farewell_.asked(header.source, now);
  switch (header.kind) {
    case DatagramKind::data:
      return handle_segment(header.source, in, false, now);
    case DatagramKind::coded:
      return receiver_driven() && handle_segment(header.source, in, true, now);
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
    if (rate_.echoed(other.train_mark, mark, now)) reports_.set_rate(rate_.rate(), now);
  }
  if (!other.held_back.empty() && !too_much_in_flight(other)) release_held_back(from);
}

void Endpoint::take_room(Rank from, const StatusHeader& status, Instant now) {
  Peer& other = peer(from);
  other.flight.told(status.room, status.overflowed, other.next_packet, other.echoed_packets, now);
  if (!other.held_back.empty() && !too_much_in_flight(other)) release_held_back(from);
}

/// Everything before `position` has arrived at the peer.
void Endpoint::acknowledge_before(Rank from, MessageId position, Instant now) {
  Peer& other = peer(from);
  const auto acknowledged = other.outgoing.remove_if([&](const OutgoingMessage& message) {
    if (message.id() >= position) return false;
    other.narrow.arrived(message.largest_payload() + data_overhead_bytes);
    return true;
  });
  // A datagram that acknowledges nothing does not put off the probe for what the peer still lacks.
  if (acknowledged == 0) return;
  other.probes = 0;
  note_moved(now);
  update_probe(from, now);
  farewell_.update(from, now);
  schedule(from);
}

bool Endpoint::handle_segment(Rank from, WireReader& in, bool coded, Instant now) {
  auto header = read_segment_header(in);
  if (!header) return false;
  take_echo(from, header->echo, now);
  if (header->message.superstep > position_.superstep + 1) return false;
  if (receiver_driven()) acknowledge_before(from, header->message, now);
  if (is_past(header->message)) {
    ++counters_.segments_duplicate;
    after_segment(from, *header, peer(from).incoming.find(header->message), now);
    return true;
  }
  IncomingMessage* message = open_incoming(from, *header, now);
  if (message == nullptr) return false;
  if (receiver_driven() && is_of_older_cut(peer(from), *message, *header)) {
    ++counters_.segments_duplicate;
    after_segment(from, *header, message, now);
    return true;
  }
  take_size_of(peer(from), header->segment_bytes);
  const bool was_complete = message->complete();
  switch (accept(*message, *header, in.rest(), coded, from, now)) {
    case IncomingMessage::Accepted::contradiction:
      return false;
    case IncomingMessage::Accepted::duplicate:
      ++counters_.segments_duplicate;
      break;
    case IncomingMessage::Accepted::segment:
      peer(from).idle_reports = 0;
      peer(from).progress_at = now;
      break;
  }
  if (failure_) return true;
  if (!was_complete && message->complete()) message_arrived(from, *message);
  after_segment(from, *header, message, now);
  return true;
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
  fail({AbortReason::out_of_memory, config_.rank, position_.superstep, 0,
        std::to_string(bytes) + " bytes from rank " + std::to_string(from)},
       now);
}

/// The message that the segment belongs to; made, if this is its first, within the ceiling. None if the
/// header makes no sense, or there is no memory, which ends the job.
IncomingMessage* Endpoint::open_incoming(Rank from, const SegmentHeader& header, Instant now) {
  Peer& other = peer(from);
  if (IncomingMessage* message = other.incoming.find(header.message)) return message;
  if (header.total_bytes > config_.options.max_message_bytes || header.segment_bytes < least_segment_bytes) {
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
  if (!leg_.active || message.id() != leg_.id || !other.awaited) return;
  other.awaited = false;
  --leg_.awaited;
  if (receiver_driven() && leg_.awaited == 0) complete_leg();
}

void Endpoint::after_segment(Rank from, const SegmentHeader& header, IncomingMessage* message, Instant now) {
  if (!receiver_driven()) {
    acknowledge_in_round(from, header, message);
    return;
  }
  if (message != nullptr && !message->complete()) return;
  Peer& other = peer(from);
  other.newest_complete = std::max(other.newest_complete, header.message);
  other.acknowledge_at = std::min(other.acknowledge_at, now + other.path.acknowledgement_delay());
  schedule(from);
}

void Endpoint::plan_report(Rank from, bool gap, Instant now) {
  Peer& other = peer(from);
  ++other.arrivals_since_report;
  const bool begun = has_incomplete(other.incoming);
  if (!begun && !(gap && other.awaited)) {
    other.report_at = never;
    return;
  }
  const Duration interval = report_interval(other);
  Instant at = now + interval;
  if (gap) at = std::max(now + other.path.reordering_window(), other.last_report + interval);
  const std::uint32_t most = std::clamp<std::uint32_t>(room_ / 2, 1, datagrams_per_report);
  if (other.arrivals_since_report >= most) at = now;
  other.report_at = std::min(other.report_at, at);
  schedule(from);
}

/// A report may be lost, and so may the repairs that it asks for: it is repeated until nothing is missing.
void Endpoint::plan_repeated_report(Rank from, Instant now) {
  Peer& other = peer(from);
  other.report_at = never;
  const bool begun = has_incomplete(other.incoming);
  if (!receiver_driven() || !begun) return;
  ++other.idle_reports;
  const std::uint32_t idle = std::max(other.idle_reports, reports_before_backoff) - reports_before_backoff;
  const Duration interval = report_interval(other);
  other.report_at = now + std::min(interval * (1 << std::min(idle, most_doublings)),
                                   std::max(interval, longest_report_interval));
  schedule(from);
}

Duration Endpoint::report_interval(const Peer& other) const {
  return std::max(other.path.report_interval(), reports_.round());
}

bool Endpoint::handle_status(Rank from, WireReader& in, Instant now) {
  auto header = read_status_header(in);
  if (!header) return false;
  take_echo(from, header->echo, now);
  take_statement(peer(from), *header, now);
  take_room(from, *header, now);
  if (!receiver_driven()) return true;
  acknowledge_before(from, header->position, now);

  Peer& other = peer(from);
  const LossDetection detection(header->echo, other.path, now);
  const std::uint64_t lacked = unacknowledged(other.outgoing);
  std::vector<MessageId> told;
  while (!in.rest().empty()) {
    const auto entry = read_status_entry(in);
    if (!entry) return false;
    OutgoingMessage* message = other.outgoing.find(entry->message);
    if (message == nullptr) continue;
    // Of another cut it has nothing that counts, unless that made it complete.
    if (entry->segment_bytes != message->segment_bytes() && !entry->complete) continue;
    if (entry->of_block) {
      message->note_held(entry->first, entry->bits);
      continue;
    }
    told.push_back(entry->message);
    lost_.clear();
    const std::uint32_t before = message->unacknowledged();
    detection.apply(*entry, *message, lost_);
    if (message->unacknowledged() < before) note_moved(now);
    if (const auto bytes = message->take_longest_acknowledged())
      other.narrow.arrived(*bytes + data_overhead_bytes);
    queue_repairs(from, *message, detection, told_of(*entry, *message), now);
  }
  for (OutgoingMessage& message : other.outgoing) {
    if (header->partial || std::find(told.begin(), told.end(), message.id()) != told.end()) continue;
    lost_.clear();
    detection.apply_absence(message, lost_);
    queue_repairs(from, message, detection, {0, message.segment_count()}, now);
  }
  if (unacknowledged(other.outgoing) < lacked) other.probes = 0;
  other.outgoing.remove_if([](const OutgoingMessage& message) { return message.acknowledged(); });
  if (!header->partial) look_for_narrow_path(from, now);
  update_probe(from, now);
  farewell_.update(from, now);
  schedule(from);
  return true;
}

bool Endpoint::handle_fin(Rank from, WireReader& in, Instant now) {
  auto header = read_fin_header(in);
  if (!header) return false;
  take_echo(from, header->echo, now);
  Peer& other = peer(from);
  other.outgoing.remove_if([](const OutgoingMessage&) { return true; });
  other.held_back.clear();
  farewell_.heard(from, header->heard, now);
  schedule(from);
  return true;
}

bool Endpoint::handle_abort(WireReader& in, Instant now) {
  const auto notice = read_abort_notice(in);
  if (!notice || notice->subject >= config_.size) return false;
  fail(*notice, now);
  return true;
}

}  // namespace lbsp::transport
