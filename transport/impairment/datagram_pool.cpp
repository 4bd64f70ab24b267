#include "transport/impairment/datagram_pool.hpp"

namespace lbsp::transport {

DatagramPool::Slot DatagramPool::acquire() {
  if (free_.empty()) {
    const auto first = static_cast<Slot>(slabs_.size() * slab_slots);
    slabs_.emplace_back(new std::byte[slab_slots * slot_bytes_]);  // uninitialised, unlike make_unique's
    free_.reserve(slabs_.size() * slab_slots);
    for (Slot i = slab_slots; i-- > 0;)
      free_.push_back(first + i);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

}  // namespace lbsp::transport
