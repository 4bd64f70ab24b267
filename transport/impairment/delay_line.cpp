#include "transport/impairment/delay_line.hpp"

#include <algorithm>
#include <tuple>

namespace lbsp::transport {
namespace {

// For the heap functions of <algorithm>, whose first element is the greatest.
bool later(const DelayLine::Arrival& left, const DelayLine::Arrival& right) {
  return std::tie(left.time, left.sequence) > std::tie(right.time, right.sequence);
}

}  // namespace

void DelayLine::send(ImpairedLink& link, Instant now, PooledDatagram datagram) {
  const Passages passages = link.send(now, datagram.to, datagram.bytes, datagram.ecn);  // which may mark it
  send(passages, datagram);
}

void DelayLine::send(const Passages& passages, const PooledDatagram& datagram, std::size_t spared) {
  const auto [from, to, slot, bytes, ecn] = datagram;
  if (passages.size() == 0) {
    pool_.release(slot);
    return;
  }
  Arrival arrival{passages[0].time, 0, from, to, slot, static_cast<std::uint32_t>(bytes), ecn};
  if (passages.size() == 2) {
    Arrival copy = arrival;
    copy.slot = pool_.acquire();
    std::copy_n(pool_.bytes(slot).begin(), bytes, pool_.bytes(copy.slot).begin());
    hold(passages[1], copy, spared);
  }
  hold(passages[0], arrival, spared);
}

void DelayLine::hold(const Passage& passage, Arrival arrival, std::size_t spared) {
  if (passage.corruption != 0) {
    flip_bits(pool_.bytes(arrival.slot).first(arrival.bytes).subspan(spared), passage.corruption);
  }
  arrival.time = passage.time;
  arrival.sequence = sequence_++;
  heap_.push_back(arrival);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

DelayLine::Arrival DelayLine::take() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const Arrival arrival = heap_.back();
  heap_.pop_back();
  return arrival;
}

}  // namespace lbsp::transport
