#include "transport/shared_memory/outbox.hpp"

#include <algorithm>
#include <unistd.h>

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

constexpr std::size_t line_bytes = 128;  // some processors fetch lines in pairs

/// To write a line that the receiver has read, and has in its own cache still, takes this processor four times as long
/// as one that both have let go to the cache that they share. So each long message is written behind the last one,
/// until all of a rank's are twice as long as a processor's own cache.
constexpr std::size_t least_going_round = std::size_t{8} << 10;

std::size_t own_cache_bytes() {
  constexpr std::size_t usual = std::size_t{1} << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long told = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (told > 0) return std::min(static_cast<std::size_t>(told), 2 * usual);
#endif
  return usual;
}

/// Of a room, where a rank writes to so many others in two rooms by turns.
std::size_t going_round(Rank others) {
  return own_cache_bytes() / static_cast<std::size_t>(std::max(others, 1)) / line_bytes * line_bytes;
}

}  // namespace

Outbox::Outbox(Board board, Rank self, MessageMemory& memory)
    : board_(board),
      self_(self),
      memory_(memory),
      round_bytes_(std::min(going_round(board.seats() - 1), memory.most_bytes())),
      rooms_(static_cast<std::size_t>(board.seats()) * slot_count),
      copies_(static_cast<std::size_t>(board.seats())) {}

std::span<std::byte> Outbox::room(Rank to, Slot slot, std::size_t bytes, std::size_t used) {
  Room& room = room_of(to, slot);
  Cell& cell = board_.cell(to, self_, slot);
  if (used == 0 && !room.memory.empty()) choose_begin(to, slot, bytes);
  if (bytes <= room.memory.size() - room.begin && !room.memory.empty()) return room.from_begin();
  // The receiver looks at the content only when it has seen the message's number.
  if (room.memory.empty() && bytes <= inline_bytes) return cell.content;
  const bool was_inline = room.memory.empty() && used > 0;
  if (used > 0 && room.begin > 0) std::memmove(room.memory.data(), room.memory.data() + room.begin, used);
  room.begin = 0;
  if (bytes > room.memory.size()) room.memory = memory_.room(to, slot, bytes, was_inline ? 0 : used);
  if (was_inline) std::memcpy(room.memory.data(), cell.content.data(), used);
  return room.memory;
}

/// Of a message of which only the first bytes are known, so that it is taken to be as long as those before.
void Outbox::choose_begin(Rank to, Slot slot, std::size_t bytes) {
  Room& room = room_of(to, slot);
  if (room.memory.size() > always_kept_bytes) trim(to, slot);
  const std::size_t expected = std::max(bytes, room.recent);
  const std::size_t next = (room.begin + room.bytes + line_bytes - 1) / line_bytes * line_bytes;
  room.begin = room.bytes = 0;
  if (expected < least_going_round || expected > round_bytes_ / 2) return;
  if (room.memory.size() < round_bytes_) room.memory = memory_.room(to, slot, round_bytes_, 0);
  if (next + expected <= round_bytes_) room.begin = next;
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
  Room& room = room_of(to, slot);
  room.bytes = bytes;
  room.recent = std::max(bytes, room.recent - room.recent / 8);
  if (bytes <= inline_bytes) {
    if (bytes > 0 && !room.memory.empty()) std::memcpy(cell.content.data(), room.from_begin().data(), bytes);
  } else {
    const std::uint64_t address = memory_.address(to, slot) + room.begin;
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

/// Gives back what a time of larger messages has left behind, but not what messages that are written behind each other
/// go round in.
void Outbox::trim(Rank to, Slot slot) {
  Room& room = room_of(to, slot);
  const std::size_t kept = std::max({always_kept_bytes, round_bytes_, 2 * room.recent});
  if (room.memory.size() <= 2 * kept) return;
  memory_.trim(to, slot, kept);
  room = {.memory = memory_.room(to, slot, kept, 0), .recent = room.recent};
}

/// After a message that has needed none of it.
void Outbox::trim_unused(Rank to, Slot slot) {
  std::size_t& recent = room_of(to, slot).recent;
  recent -= recent / 8;
  trim(to, slot);
}

}  // namespace lbsp::transport::shared_memory
