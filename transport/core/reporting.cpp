#include "transport/core/reporting.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "transport/paths/datagram_sizes.hpp"
#include "transport/peers/calling.hpp"

namespace lbsp::transport {
namespace {

/// Of a report's datagram, for the bitmap of its message.
constexpr std::size_t least_bitmap_room = 96;

/// As many as leave room for the bitmap; of a block that is left out, the sender will send more than it
/// needs.
void write_held_blocks(const IncomingMessage& message, WireWriter& out) {
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

}  // namespace

const Transmit* Reporting::next(std::span<std::byte> buffer, Instant now) {
  while (state_.reports.ready(now, !state_.queue.ready())) {
    Peer& to = state_.peers[state_.reports.pop()];
    to.report.queued = false;
    if (to.left()) continue;
    const Transmit& report = write_report(to, buffer, now);
    state_.reports.sent(report.bytes);
    return &report;
  }
  return nullptr;
}

const Transmit& Reporting::write_report(Peer& to, std::span<std::byte> buffer, Instant now) {
  state_.alarm.clear(to.rank, Timer::report);
  state_.alarm.clear(to.rank, Timer::acknowledge);
  ReportCursor next{};
  const ReportCursor from = std::exchange(to.report.cursor, {});
  // A report must pass where the data it asks for does not; and if a keepalive is due, something small must go.
  const bool keepalive = keepalive_at(state_, to) <= now;
  const std::size_t most_bytes =
      std::min(to.path.sizes.in_use(), keepalive ? small_datagram_bytes : common_datagram_bytes);
  const auto room = buffer.first(std::min(buffer.size(), most_bytes));
  const Transmit& written = writer_.write(to, DatagramKind::status, room, now, [&](WireWriter& out) {
    WireWriter header = out;
    WireWriter entries(out.rest().first(out.room() - tag_bytes));
    StatusHeader status = liveness_.statement_to(to);
    status.marks = to.inbound.marks.next();
    status.granted = to.report.granted = granting_.rate_for(to, now);
    entries.skip(bytes_of(status));
    next = write_entries(to, from, entries);
    status.echo = to.inbound.echo(now);
    status.reordering = to.reordering(now);
    status.partial = next.more || from.more;
    write(header, status);
    out.skip(entries.written());
  });
  to.report.cursor = next;
  to.report.arrivals = 0;
  to.report.last = now;
  state_.alarm.reschedule(to.rank);  // timers that a queued report makes idle count again
  if (next.more) {
    state_.queue_report(to);
  } else {
    recovery_.report_written(to, now);
    state_.alarm.set(to.rank, Timer::keepalive, keepalive_at(state_, to));
  }
  return written;
}

ReportCursor Reporting::write_entries(const Peer& to, ReportCursor from, WireWriter& out) const {
  for (const IncomingMessage& message : to.inbound.messages) {
    if (state_.legs.is_past(message.id()) || message.id() < from.message) continue;
    std::uint32_t segment =
        message.id() == from.message && from.more ? from.segment : message.arrived().first_missing();
    if (segment == message.arrived().first_missing()) write_held_blocks(message, out);
    if (out.room() < status_entry_bytes + 1) return {true, message.id(), segment};
    StatusEntry entry;
    // The bitmap is made in the place where it is sent.
    segment = message.describe(segment, out.rest().subspan(status_entry_bytes), entry);
    write(out, entry);
    if (segment < message.segment_count()) return {true, message.id(), segment};
  }
  return {};
}

}  // namespace lbsp::transport
