#include "transport/sending/datagram_writer.hpp"

#include "transport/paths/datagram_sizes.hpp"
#include "transport/peers/calling.hpp"

namespace lbsp::transport {

void DatagramWriter::seal(Peer& to, DatagramKind kind, std::span<std::byte> datagram, Instant now) {
  if (to.outbound.next_packet == to.echoed.packets) to.outbound.unanswered_since = now;
  if (to.echoed.packets == 0)
    to.path.ecn.unanswered(to.outbound.next_packet, now - to.outbound.unanswered_since);
  const std::uint64_t packet_number = to.outbound.next_packet++;
  to.outbound.sealing.seal(packet_number, datagram.first(clear_header_bytes),
                           datagram.subspan(clear_header_bytes));
  to.path.times.sent(packet_number, now, state_.rate.train(), datagram.size(),
                     state_.rate.bytes_sent() + (to.near ? 0 : datagram.size()));
  if (datagram.size() <= small_datagram_bytes) {
    to.outbound.last_small = now;
    state_.alarm.set(to.rank, Timer::keepalive, keepalive_at(state_, to));
  }
  to.path.rate.sent(datagram.size(), state_.rate.host_rate(), now);
  if (to.near) {
    state_.near_pacer.sent(datagram.size());
  } else {
    if (state_.rate.sent(datagram.size(), now)) state_.reports.set_rate(state_.rate.rate(), now);
  }
  if (PathLog* const log = state_.config.log.get())
    log->add({.what = PathEvent::What::sent,
              .kind = static_cast<std::uint8_t>(kind),
              .peer = to.rank,
              .at = now,
              .number = packet_number,
              .bytes = static_cast<std::uint32_t>(datagram.size())});
  ++state_.counters.datagrams_sent;
  state_.counters.wire_bytes_sent += datagram.size();
}

}  // namespace lbsp::transport
