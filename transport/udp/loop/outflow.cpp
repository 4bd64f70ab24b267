#include "transport/udp/loop/outflow.hpp"

#include <utility>

namespace lbsp::transport {

Outflow::Outflow(const UdpPort& port, Correspondent& correspondent, std::size_t datagram_bytes, bool ecn,
                 std::optional<ImpairedLink> link)
    : port_(port),
      correspondent_(correspondent),
      pool_(datagram_bytes),
      batch_(port_.native_handle(), pool_, ecn),
      link_(std::move(link)) {}

Outflow::Left Outflow::send(Instant time) {
  const bool more = fill(time);
  if (!batch_.flush()) return Left::no_room;
  return report_refusals(time) || more ? Left::more : Left::nothing;
}

// Returns whether there may be more to send now.
bool Outflow::fill(Instant time) {
  set_fragments();
  for (std::size_t polled = 0; polled < SendBatch::most_datagrams; ++polled) {
    take_due(time);
    if (batch_.full()) return true;
    const auto slot = pool_.acquire();
    const auto outgoing = correspondent_.poll_transmit(pool_.bytes(slot), time);
    if (!outgoing) {
      pool_.release(slot);
      return false;
    }
    send_or_hold(slot, *outgoing, time);
  }
  take_due(time);
  return true;
}

void Outflow::set_fragments() {
  if (correspondent_.whole() == whole_) return;
  whole_ = !whole_;
  allow_fragments(port_.native_handle(), port_.family(), !whole_);
}

void Outflow::send_or_hold(DatagramPool::Slot slot, const Correspondent::Outgoing& outgoing, Instant time) {
  if (outgoing.by_way_of != nullptr) {
    batch_.add(outgoing.to, *outgoing.by_way_of, slot, outgoing.bytes, outgoing.in_train, outgoing.ecn);
  } else if (link_) {
    line_.send(*link_, time, {Rank{}, outgoing.to, slot, outgoing.bytes, outgoing.ecn});
  } else {
    batch_.add(outgoing.to, correspondent_.address_of(outgoing.to), slot, outgoing.bytes, outgoing.in_train,
               outgoing.ecn);
  }
}

void Outflow::take_due(Instant time) {
  while (!batch_.full() && line_.next() <= time) {
    const auto arrival = line_.take();
    batch_.add(arrival.to, correspondent_.address_of(arrival.to), arrival.slot, arrival.bytes, false,
               arrival.ecn);
  }
}

// Returns whether anything was refused that may now be sent in shorter datagrams.
bool Outflow::report_refusals(Instant time) {
  for (const auto& [to, error] : batch_.take_host_refusals())
    correspondent_.handle_host_refusal(to, error, time);
  const auto refusals = batch_.take_too_long();
  for (const auto& [to, bytes] : refusals)
    correspondent_.handle_refusal(to, bytes, time);
  return !refusals.empty();
}

}  // namespace lbsp::transport
