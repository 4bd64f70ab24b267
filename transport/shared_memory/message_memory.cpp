#include "transport/shared_memory/message_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "transport/process/address.hpp"

namespace lbsp::transport::shared_memory {

std::span<std::byte> HeapMemory::room(Rank to, Slot slot, std::size_t bytes, std::size_t used) {
  Bytes& room = place(to, slot);
  if (room.size() < bytes) {
    Bytes larger(std::max(bytes, room.size() + room.size() / 2));
    if (used > 0) std::memcpy(larger.data(), room.data(), used);
    room = std::move(larger);
  }
  return room;
}

void HeapMemory::trim(Rank to, Slot slot, std::size_t bytes) {
  Bytes& room = place(to, slot);
  if (room.size() > bytes) room = Bytes(bytes);
}

std::uint64_t HeapMemory::address(Rank to, Slot slot) const {
  const auto& room = rooms_[static_cast<std::size_t>(to)][static_cast<std::size_t>(slot)];
  return address_of(room.data());
}

const std::byte* HeapMemory::find(Rank /*from*/, Slot /*slot*/, std::uint64_t address,
                                  std::uint64_t /*bytes*/) const {
  return memory_at(address);
}

}  // namespace lbsp::transport::shared_memory
