#pragma once

#include <initializer_list>
#include <vector>

#include "tests/transport/message_ids.hpp"
#include "tests/transport/room_state.hpp"

/// What tests of the receiver-driven recovery look at.
namespace lbsp::transport::testing {

/// Of a full datagram.
constexpr std::size_t segment_bytes = 1354;

struct DrivenRoom : RoomState<ReceiverDriven> {
  using RoomState<ReceiverDriven>::RoomState;

  Instant at(Timer timer) const { return other.timers.at(timer); }
  /// These segments of a message of rank 1 arrive, in datagrams one after the other.
  void take(MessageId id, std::uint64_t total, std::initializer_list<std::uint32_t> segments,
            Instant now = start, bool gap = false) {
    for (const std::uint32_t segment : segments) {
      const SegmentHeader header = segment_of(id, total, segment);
      if (other.inbound.messages.find(id) == nullptr) other.inbound.messages.add(IncomingMessage(header));
      other.inbound.messages.find(id)->accept(header, Bytes(1000), now);
      recovery->segment_arrived(other, header, now);
      recovery->datagram_arrived(other, gap, now);
    }
  }
  /// A report of rank 1 that has seen all that was sent, and lacks these segments of the first `told`.
  bool report(std::uint16_t told, std::initializer_list<std::uint16_t> lacking, Instant now = start) {
    Bytes bitmap((told + 7u) / 8u, std::byte{0xff});
    for (const std::uint16_t segment : lacking)
      bitmap[segment / 8u] &= ~(std::byte{1} << (segment % 8));
    StatusEntry entry;
    entry.message = state.legs.id();
    entry.prefix_complete = true;
    entry.bits = told;
    entry.bitmap = bitmap;
    entry.segment_bytes = outgoing().segment_bytes();
    Bytes bytes(status_entry_bytes + bitmap.size());
    WireWriter out(bytes);
    write(out, entry);
    WireReader in(bytes);
    return recovery->report_arrived(other, header(), in, now);
  }
  StatusHeader header() {
    StatusHeader header;
    header.position = first;
    header.echo.packets = other.outbound.next_packet;
    return header;
  }
  std::vector<std::uint32_t> repairs() {
    std::vector<std::uint32_t> list;
    for (; state.queue.repairs.ready();)
      list.push_back(state.queue.repairs.pop().segment);
    return list;
  }
};

}  // namespace lbsp::transport::testing
