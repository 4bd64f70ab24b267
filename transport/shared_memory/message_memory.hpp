#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/shared_memory/board.hpp"

namespace lbsp::transport::shared_memory {

/// Where one rank writes its messages, and where the other ranks of the host read them.
class MessageMemory {
 public:
  MessageMemory() = default;
  MessageMemory(const MessageMemory&) = delete;
  MessageMemory& operator=(const MessageMemory&) = delete;
  virtual ~MessageMemory() = default;

  /// Memory for a message to that seat, of at least `bytes`, aligned to 16. It has the first `used` bytes of what the
  /// last call for the same place returned. Throws MessageTooLarge where there is no such memory.
  virtual std::span<std::byte> room(Rank to, Slot slot, std::size_t bytes, std::size_t used) = 0;
  /// Gives memory of the room back to the system, but for the first `bytes`.
  virtual void trim(Rank to, Slot slot, std::size_t bytes) = 0;

  /// A room never has more.
  virtual std::size_t most_bytes() const = 0;

  /// Where the room is, and so where a message in it begins, in bytes: what find() of the receiver needs to know.
  virtual std::uint64_t address(Rank to, Slot slot) const = 0;
  /// The message that another seat has written for this one; nullptr if there can be none of that size.
  virtual const std::byte* find(Rank from, Slot slot, std::uint64_t address, std::uint64_t bytes) const = 0;
};

/// For ranks that are threads of one process: their messages lie in its heap.
class HeapMemory final : public MessageMemory {
 public:
  explicit HeapMemory(Rank seats) : rooms_(static_cast<std::size_t>(seats)) {}

  std::span<std::byte> room(Rank to, Slot slot, std::size_t bytes, std::size_t used) override;
  void trim(Rank to, Slot slot, std::size_t bytes) override;
  std::size_t most_bytes() const override { return std::numeric_limits<std::size_t>::max(); }
  std::uint64_t address(Rank to, Slot slot) const override;
  const std::byte* find(Rank from, Slot slot, std::uint64_t address, std::uint64_t bytes) const override;

 private:
  Bytes& place(Rank to, Slot slot) {
    return rooms_[static_cast<std::size_t>(to)][static_cast<std::size_t>(slot)];
  }

  std::vector<std::array<Bytes, room_slots>> rooms_;
};

}  // namespace lbsp::transport::shared_memory
