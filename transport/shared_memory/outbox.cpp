#include "transport/shared_memory/outbox.hpp"

#include <algorithm>

#include "transport/shared_memory/futex.hpp"

namespace lbsp::transport::shared_memory {
namespace {

/// Has this processor own the cache line, so that a later store need not wait for it.
void fetch_to_write(Cell& cell) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0"
               :
               : "m"(cell));  // the builtin takes it for a read where the compiler's target is old
#else
  __builtin_prefetch(&cell, 1);
#endif
}

}  // namespace

Outbox::Outbox(Board board, Rank self, MessageMemory& memory)
    : board_(board),
      self_(self),
      memory_(memory),
      rooms_(static_cast<std::size_t>(board.seats()) * slot_count),
      copies_(static_cast<std::size_t>(board.seats())) {}

std::span<std::byte> Outbox::room(Rank to, Slot slot, std::size_t bytes, std::size_t used) {
  auto& memory = room_of(to, slot).memory;
  Cell& cell = board_.cell(to, self_, slot);
  if (used == 0 && memory.size() > always_kept_bytes) trim(to, slot);
  if (bytes <= memory.size()) return memory;
  // The receiver looks at the content only when it has seen the message's number.
  if (memory.empty() && bytes <= inline_bytes) return cell.content;
  const bool was_inline = memory.empty() && used > 0;
  memory = memory_.room(to, slot, bytes, was_inline ? 0 : used);
  if (was_inline) std::memcpy(memory.data(), cell.content.data(), used);
  return memory;
}

void Outbox::copy(Rank to, std::byte* place, std::span<const std::byte> bytes) {
  if (bytes.size() >= RoomCopies::least_bytes)
    return copies_[static_cast<std::size_t>(to)].copy(place, bytes);
  if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
}

/// A message is written to the room that the last room() for its place returned.
void Outbox::post(Rank to, Slot slot, std::uint64_t sequence, std::size_t bytes) {
  Cell& cell = board_.cell(to, self_, slot);
  cell.bytes = bytes;
  auto& [memory, recent] = room_of(to, slot);
  recent = std::max(bytes, recent - recent / 8);
  if (bytes <= inline_bytes) {
    if (bytes > 0 && !memory.empty()) std::memcpy(cell.content.data(), memory.data(), bytes);
  } else {
    const std::uint64_t address = memory_.address(to, slot);
    std::memcpy(cell.content.data(), &address, sizeof(address));
  }
  cell.sequence.store(sequence, std::memory_order_release);
}

void Outbox::make_ready(Rank to, Slot slot) const {
  fetch_to_write(board_.cell(to, self_, slot));
}

void Outbox::notify(Rank to, Slot slot) {
  Seat& seat = board_.seat(to);
  const auto place = static_cast<std::size_t>(slot);
  auto& arrived = seat.arrived[place];
  // Both in one order with the sleeper's: either it sees the message, or this rank sees that it is to wake it.
  const std::uint32_t count = arrived.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (count == seat.wake_at[place].load(std::memory_order_seq_cst)) wake(arrived);
}

void Outbox::send_copy(Rank to, Slot slot, std::uint64_t sequence, std::span<const std::byte> message) {
  const auto place = room(to, slot, message.size(), 0);
  copy(to, place.data(), message);
  send(to, slot, sequence, message.size());
}

/// Gives back what a time of larger messages has left behind.
void Outbox::trim(Rank to, Slot slot) {
  auto& [memory, recent] = room_of(to, slot);
  const std::size_t kept = std::max(always_kept_bytes, 2 * recent);
  if (memory.size() <= 2 * kept) return;
  memory_.trim(to, slot, kept);
  memory = memory_.room(to, slot, kept, 0);
}

/// After a message that has needed none of it.
void Outbox::trim_unused(Rank to, Slot slot) {
  std::size_t& recent = room_of(to, slot).recent;
  recent -= recent / 8;
  trim(to, slot);
}

}  // namespace lbsp::transport::shared_memory
