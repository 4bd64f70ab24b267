#include "transport/shared_memory/message_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

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
  return reinterpret_cast<std::uintptr_t>(room.data());
}

const std::byte* HeapMemory::find(Rank /*from*/, Slot /*slot*/, std::uint64_t address,
                                  std::uint64_t /*bytes*/) const {
  return reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address));
}

}  // namespace lbsp::transport::shared_memory
