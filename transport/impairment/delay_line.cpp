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

void DelayLine::send(ImpairedLink& link, Instant now, Rank from, Rank to, DatagramPool::Slot slot,
                     std::size_t bytes) {
  const auto passages = link.send(now, to, bytes);
  if (passages.size() == 0) {
    pool_.release(slot);
    return;
  }
  Arrival arrival{now, 0, from, to, slot, static_cast<std::uint32_t>(bytes)};
  if (passages.size() == 2) {
    Arrival copy = arrival;
    copy.slot = pool_.acquire();
    std::copy_n(pool_.bytes(slot).begin(), bytes, pool_.bytes(copy.slot).begin());
    hold(passages[1], copy);
  }
  hold(passages[0], arrival);
}

void DelayLine::hold(const Passage& passage, Arrival arrival) {
  if (passage.corruption != 0) flip_bits(pool_.bytes(arrival.slot).first(arrival.bytes), passage.corruption);
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
