#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "transport/exchange.hpp"
#include "transport/shared_memory/board.hpp"
#include "transport/shared_memory/message_memory.hpp"
#include "transport/shared_memory/room_copies.hpp"

namespace lbsp::transport::shared_memory {

/// What one rank sends the other ranks of its host: messages in cells, and in rooms if they are longer. A message is
/// published last, so a rank that dies at any point leaves no half message.
class Outbox {
 public:
  /// For the rank of that seat. `memory` must outlive this.
  Outbox(Board board, Rank self, MessageMemory& memory);

  /// See MessageMemory::room(). Its message goes with the next send() to that seat and slot.
  std::span<std::byte> room(Rank to, Slot slot, std::size_t bytes, std::size_t used);
  /// Copies a run of bytes to a room of that seat.
  void copy(Rank to, std::byte* place, std::span<const std::byte> bytes);

  /// Publishes the first `bytes` of the room. `sequence` grows from message to message in each slot.
  void send(Rank to, Slot slot, std::uint64_t sequence, std::size_t bytes) {
    post(to, slot, sequence, bytes);
    notify(to, slot);
  }
  /// Copies the message to its room and publishes it.
  void send_copy(Rank to, Slot slot, std::uint64_t sequence, std::span<const std::byte> message);
  /// The first half of send(): who waits awake has the message from here on …
  void post(Rank to, Slot slot, std::uint64_t sequence, std::size_t bytes);
  /// … or this one, whatever is in the room.
  void post_alike(Rank to, Slot slot, std::uint64_t sequence, Lending::Alike message) {
    Cell& cell = board_.cell(to, self_, slot);
    cell.bytes = message.size();
    std::memcpy(cell.content.data(), message.data(), message.size());
    cell.sequence.store(sequence, std::memory_order_release);
    if (room_of(to, slot).memory.size() > always_kept_bytes) [[unlikely]]
      trim_unused(to, slot);
  }
  /// The second half, which may wait a little: wakes who sleeps.
  void notify(Rank to, Slot slot);
  /// The next message in that slot takes less time if this has been called well before.
  void make_ready(Rank to, Slot slot) const;

 private:
  /// Rooms keep what messages of about their size have used; of up to so many bytes always.
  static constexpr std::size_t always_kept_bytes = std::size_t{1} << 20;

  struct Room {
    std::span<std::byte> memory{};
    std::size_t begin = 0;   ///< where the message being written, or else the last one, begins …
    std::size_t bytes = 0;   ///< … and its length once it is posted
    std::size_t recent = 0;  ///< bytes of the last messages, the older the less

    std::span<std::byte> from_begin() const { return memory.subspan(begin); }
  };

  Room& room_of(Rank to, Slot slot) {
    return rooms_[static_cast<std::size_t>(to) * slot_count + static_cast<std::size_t>(slot)];
  }
  void choose_begin(Rank to, Slot slot, std::size_t bytes);
  void trim(Rank to, Slot slot);
  void trim_unused(Rank to, Slot slot);

  Board board_;
  Rank self_;
  MessageMemory& memory_;
  std::size_t round_bytes_;  ///< of a room, within which long messages go round
  std::vector<Room> rooms_;
  std::vector<RoomCopies> copies_;  ///< by receiver
};

}  // namespace lbsp::transport::shared_memory
