#include <algorithm>
#include <array>
#include <utility>

#include "transport/core/datagram_sizes.hpp"
#include "transport/core/endpoint.hpp"

namespace lbsp::transport {
namespace {

/// Of a report's datagram, for the bitmap of its message.
constexpr std::size_t least_bitmap_room = 96;

}  // namespace

std::optional<Transmit> Endpoint::poll_transmit(std::span<std::byte> buffer, Instant now) {
  liveness_.forgive_own_sleep(now);
  control_.release(now);
  if (auto control = next_control(buffer, now)) return control;
  if (failure_) return std::nullopt;
  state_.acks.release(now);
  state_.queue.release(now);
  const bool report = state_.reports.ready(now);
  if (!report && !state_.acks.ready() && !state_.queue.ready()) {
    state_.rate.pause();
    return std::nullopt;
  }
  if (!state_.rate.may_send(now)) return std::nullopt;
  if (report) {
    if (auto written = next_report(buffer, now)) return written;
  }
  if (auto ack = next_ack(buffer, now)) return ack;
  return next_data(buffer, now);
}

std::optional<Transmit> Endpoint::next_control(std::span<std::byte> buffer, Instant now) {
  while (control_.ready()) {
    const ControlJob job = control_.pop();
    switch (job.kind) {
      case Control::fin:
        return write_fin(job.peer, buffer, now);
      case Control::abort:
        return write_abort(job.peer, buffer, now);
    }
  }
  return std::nullopt;
}

std::optional<Transmit> Endpoint::next_report(std::span<std::byte> buffer, Instant now) {
  while (state_.reports.ready(now)) {
    const Rank to = state_.reports.pop();
    if (peer(to).left()) {
      peer(to).report_queued = false;
      continue;
    }
    const Transmit report = write_report(to, buffer, now);
    state_.reports.sent(report.bytes);
    return report;
  }
  return std::nullopt;
}

std::optional<Transmit> Endpoint::next_ack(std::span<std::byte> buffer, Instant now) {
  if (!state_.acks.ready()) return std::nullopt;
  const AckJob job = state_.acks.pop();
  return seal(job.peer, DatagramKind::ack, buffer, now, [&](WireWriter& out) {
    write(out, SegmentAck{echo_to(peer(job.peer), now), job.message, job.round, job.segment});
  });
}

std::optional<Transmit> Endpoint::next_data(std::span<std::byte> buffer, Instant now) {
  while (state_.queue.ready()) {
    const auto written = state_.queue.repair_is_next() ? write_repair(state_.queue.repairs.pop(), buffer, now)
                                                       : write_copy(state_.queue.passes.pop(), buffer, now);
    if (written) return written;
  }
  return std::nullopt;
}

std::optional<Transmit> Endpoint::write_repair(const RepairJob& job, std::span<std::byte> buffer,
                                               Instant now) {
  OutgoingMessage* message = peer(job.peer).outgoing.find(job.message);
  if (message == nullptr) return std::nullopt;
  if (job.coded) {
    --message->block(job.segment).queued;
    if (message->block_acknowledged(job.segment)) return std::nullopt;
    ++state_.counters.segments_resent;
    return write_coded(job.peer, *message, job.segment, buffer, now);
  }
  if (message->segment(job.segment).acknowledged) return std::nullopt;
  message->segment(job.segment).repair_queued = false;
  ++state_.counters.segments_resent;
  return write_segment(job.peer, *message, job.segment, buffer, now);
}

std::optional<Transmit> Endpoint::write_copy(PassJob job, std::span<std::byte> buffer, Instant now) {
  Peer& other = peer(job.peer);
  OutgoingMessage* message = other.outgoing.find(job.message);
  if (message == nullptr) return std::nullopt;
  if (job.pass == PassJob::coded) return next_coded(job, *message, buffer, now);
  const auto segment = message->next_in_pass(job.pass, job.next_segment);
  if (!segment) {
    finish_pass(job, now);
    return std::nullopt;
  }
  if (too_much_in_flight(other)) {
    hold_back(job, now);
    return std::nullopt;
  }
  if (recovery_->sends_again()) {
    ++state_.counters.segments_resent;
  } else if (job.pass > 0) {
    ++state_.counters.copies_sent;
  }
  job.next_segment = *segment + 1;
  if (job.pass == 0) begin_coded_passes(job.peer, *message, job.next_segment);
  state_.queue.passes.push(job);
  return write_segment(job.peer, *message, *segment, buffer, now);
}

/// The planned coded segments of every block of which all segments below `sent` are a part.
void Endpoint::begin_coded_passes(Rank to, OutgoingMessage& message, std::uint32_t sent) {
  while (const auto block = message.next_block_to_code(sent))
    state_.queue.passes.push(PassJob{to, message.id(), PassJob::coded, *block});
}

std::optional<Transmit> Endpoint::next_coded(const PassJob& job, OutgoingMessage& message,
                                             std::span<std::byte> buffer, Instant now) {
  const std::uint32_t block = job.next_segment;
  OutgoingBlock& state = message.block(block);
  if (message.block_acknowledged(block)) state.planned = 0;
  if (state.planned == 0) return std::nullopt;
  if (too_much_in_flight(peer(job.peer))) {
    hold_back(job, now);
    return std::nullopt;
  }
  ++state_.counters.coded_sent;
  if (--state.planned > 0) state_.queue.passes.push(job);
  return write_coded(job.peer, message, block, buffer, now);
}

void Endpoint::hold_back(const PassJob& job, Instant now) {
  Peer& other = peer(job.peer);
  other.held_back.push_back(job);
  recovery_->held_back(job.peer, now);
}

void Endpoint::finish_pass(const PassJob& job, Instant now) {
  OutgoingMessage& message = *peer(job.peer).outgoing.find(job.message);
  if (job.pass == 0) begin_coded_passes(job.peer, message, message.segment_count());
  if (job.pass + 1 >= message.plan().copies) return;
  const Duration spacing = recovery_->copy_spacing(peer(job.peer));
  state_.queue.passes.push(PassJob{job.peer, job.message, job.pass + 1, message.plan().first_protected},
                           now + spacing);
}

/// Bounds what is in flight to what the path holds and a receiver can buffer, by the echoes that come back.
/// It matters where the receiver cannot keep up with the configured rate; elsewhere the pacer is stricter.
bool Endpoint::too_much_in_flight(const Peer& other) const {
  if (!recovery_->bounds_flight()) return false;
  const double on_path =
      datagrams_on_path(state_.rate.rate(), other.path.least(), state_.config.options.datagram_bytes);
  const bool guess = !other.path.known() && !other.path.measured();
  return other.flight.reached(other.next_packet, other.echoed_packets, guess ? 0 : on_path,
                              other.path.known());
}

Echo Endpoint::echo_to(const Peer& other, Instant now) const {
  if (other.arrived.next() == 0) return {};
  const auto microseconds = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  const auto held = std::clamp<std::int64_t>(microseconds(now - other.newest_arrival), 0, UINT32_MAX);
  return {.packets = other.arrived.next(),
          .hold_microseconds = static_cast<std::uint32_t>(held),
          .arrival_microseconds =
              static_cast<std::uint32_t>(microseconds(other.newest_arrival.time_since_epoch())),
          .arrived = static_cast<std::uint32_t>(other.arrived.distinct()),
          .loss = other.arrival_loss.report()};
}

template <class WriteBody>
Transmit Endpoint::seal(Rank to, DatagramKind kind, std::span<std::byte> buffer, Instant now,
                        WriteBody write_body) {
  Peer& other = peer(to);
  const std::uint64_t packet_number = other.next_packet++;
  WireWriter out(buffer);
  write(out, ClearHeader{kind, state_.config.rank, to, job_tag_, packet_number});
  write_body(out);
  const std::size_t bytes = out.written() + tag_bytes;
  other.sealing.seal(packet_number, buffer.first(clear_header_bytes),
                     buffer.subspan(clear_header_bytes, bytes - clear_header_bytes));
  other.path.sent(packet_number, now, state_.rate.train(), bytes);
  other.narrow.sent(packet_number, bytes, next_smaller_datagram(other.datagram_bytes));
  if (bytes <= small_datagram_bytes) {
    other.last_small_sent = now;
    state_.alarm.set(to, Timer::keepalive, liveness_.keepalive_at(other));
  }
  state_.rate.sent(bytes);
  ++state_.counters.datagrams_sent;
  state_.counters.wire_bytes_sent += bytes;
  return {to, bytes};
}

Transmit Endpoint::write_segment(Rank to, OutgoingMessage& message, std::uint32_t segment,
                                 std::span<std::byte> buffer, Instant now) {
  Peer& other = peer(to);
  if (segment >= message.first_never_sent()) state_.note_moved(now);
  message.sent(segment, other.next_packet, now);
  note_data_sent(to, message.id(), now);
  return seal(to, DatagramKind::data, buffer, now, [&](WireWriter& out) {
    write(out, SegmentHeader{echo_to(other, now), message.id(), recovery_->round(), message.total_bytes(),
                             segment, message.segment_bytes()});
    out.put(message.payload(segment));
  });
}

void Endpoint::note_data_sent(Rank to, MessageId id, Instant now) {
  ++state_.counters.segments_sent;
  recovery_->data_sent(to, id, now);
}

Transmit Endpoint::write_coded(Rank to, OutgoingMessage& message, std::uint32_t block,
                               std::span<std::byte> buffer, Instant now) {
  Peer& other = peer(to);
  OutgoingBlock& state = message.block(block);
  state.under_way.push_back({other.next_packet, now});
  note_data_sent(to, message.id(), now);
  return seal(to, DatagramKind::coded, buffer, now, [&](WireWriter& out) {
    write(out, SegmentHeader{echo_to(other, now), message.id(), state.next_coded, message.total_bytes(),
                             block, message.segment_bytes()});
    message.encode_next(block, out.rest().first(message.segment_bytes()));
    out.skip(message.segment_bytes());
  });
}

Transmit Endpoint::write_report(Rank to, std::span<std::byte> buffer, Instant now) {
  Peer& other = peer(to);
  state_.alarm.clear(to, Timer::report);
  state_.alarm.clear(to, Timer::acknowledge);
  other.report_queued = false;
  ReportCursor next{};
  const ReportCursor from = std::exchange(other.report_cursor, {});
  // A report must pass where the data it asks for does not.
  const std::size_t most_bytes = std::min(other.datagram_bytes, common_datagram_bytes);
  const auto room = buffer.first(std::min(buffer.size(), most_bytes));
  const Transmit written = seal(to, DatagramKind::status, room, now, [&](WireWriter& out) {
    WireWriter header = out;
    WireWriter entries(out.rest().first(out.room() - tag_bytes));
    std::array<std::byte, status_header_bytes> no_header_yet{};
    entries.put(std::span<const std::byte>(no_header_yet));
    next = write_report_entries(other, from, entries);
    StatusHeader status = liveness_.statement_to(other);
    status.echo = echo_to(other, now);
    status.partial = next.more || from.more;
    write(header, status);
    out.skip(entries.written());
  });
  other.report_cursor = next;
  other.arrivals_since_report = 0;
  other.last_report = now;
  if (next.more) {
    state_.queue_report(to);
  } else {
    recovery_->report_written(to, now);
    state_.alarm.set(to, Timer::keepalive, liveness_.keepalive_at(other));
  }
  return written;
}

/// As many as leave room for the bitmap; of a block that is left out, the sender will send more than it
/// needs.
void Endpoint::write_held_blocks(const IncomingMessage& message, WireWriter& out) const {
  for (const IncomingMessage::HeldBlock& held : message.held()) {
    if (out.room() < least_bitmap_room + status_entry_bytes) return;
    StatusEntry entry;
    entry.message = message.id();
    entry.of_block = true;
    entry.segment_bytes = message.segment_bytes();
    entry.first = held.block;
    entry.bits = static_cast<std::uint16_t>(held.coded.size());
    write(out, entry);
  }
}

ReportCursor Endpoint::write_report_entries(const Peer& other, ReportCursor from, WireWriter& out) const {
  for (const IncomingMessage& message : other.incoming) {
    if (is_past(message.id()) || message.id() < from.message) continue;
    std::uint32_t segment =
        message.id() == from.message && from.more ? from.segment : message.first_missing();
    if (segment == message.first_missing()) write_held_blocks(message, out);
    if (out.room() < status_entry_bytes + 1) return {true, message.id(), segment};
    StatusEntry entry;
    // The bitmap is made in the place where it is sent.
    segment = message.describe(segment, out.rest().subspan(status_entry_bytes), entry);
    write(out, entry);
    if (segment < message.segment_count()) return {true, message.id(), segment};
  }
  return {};
}

Transmit Endpoint::write_fin(Rank to, std::span<std::byte> buffer, Instant now) {
  return seal(to, DatagramKind::fin, buffer, now, [&](WireWriter& out) {
    write(out, FinHeader{echo_to(peer(to), now), peer(to).finished});
  });
}

Transmit Endpoint::write_abort(Rank to, std::span<std::byte> buffer, Instant now) {
  return seal(to, DatagramKind::abort, buffer, now, [&](WireWriter& out) { write(out, notice_); });
}

}  // namespace lbsp::transport
