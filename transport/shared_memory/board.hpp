#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/units.hpp"

namespace lbsp::transport::shared_memory {

/// Which of its places for messages to one other rank a rank uses. First legs take turns between two: whoever sends
/// the message of superstep s + 2 has received the other's message of s + 1, which that one sent after it had read the
/// message of s. Replies need only one place, because the next first leg comes between two of them; so does word that
/// nothing more is fetched of a superstep's offers.
enum class Slot : std::uint8_t { even, odd, reply, fetched };
inline constexpr std::size_t slot_count = 4;
/// The first of them have rooms; word that all is fetched is empty.
inline constexpr std::size_t room_slots = 3;

constexpr Slot first_leg_slot(std::uint64_t superstep) {
  return superstep % 2 == 0 ? Slot::even : Slot::odd;
}

inline constexpr std::size_t cell_bytes = 128;
/// For what else the ranks of a host have in common. Nothing here looks at it.
inline constexpr std::size_t common_bytes = std::size_t{64} << 10;
/// A message of up to this size travels in its cell.
inline constexpr std::size_t inline_bytes = cell_bytes - 2 * sizeof(std::uint64_t);

/// How a message reaches one other rank: the sender writes the rest, then `sequence`.
struct alignas(cell_bytes) Cell {
  std::atomic<std::uint64_t> sequence;  ///< of the newest message, from 1
  std::uint64_t bytes;  ///< of that message; another process wrote it, so read it once and check it
  std::array<std::byte, inline_bytes> content;  ///< the message, or its address if it is longer
};
static_assert(sizeof(Cell) == cell_bytes);

enum class State : std::uint32_t { running, finished, lost };

using Proof = std::array<std::byte, 16>;

/// What others tell one rank, and what it tells all: each in cells of its own.
struct alignas(cell_bytes) Seat {  // NOLINT(clang-analyzer-optin.performance.Padding)
  /// Messages that have come, by slot; a rank sleeps on it. It wraps.
  std::array<std::atomic<std::uint32_t>, slot_count> arrived;
  /// Whoever brings `arrived` to this value wakes the rank, by slot.
  std::array<std::atomic<std::uint32_t>, slot_count> wake_at;
  alignas(cell_bytes) std::atomic<State> state;
  std::atomic<std::uint32_t> heartbeat;  ///< changes as long as the rank's process runs
  /// Whether the rank can copy from the memory of all others' processes; 0: it cannot, or has not tried yet.
  std::atomic<std::uint32_t> reaches_all;
  std::int32_t process;         ///< the rank's, set before its first message
  std::uint64_t proof_address;  ///< in that process; whoever finds the proof there can copy from it
  Proof proof;
};
static_assert(sizeof(Seat) == 2 * cell_bytes);

/// How the job ended for all.
struct alignas(cell_bytes) Notice {
  static constexpr std::size_t longest_text = 4096;

  enum class End : std::uint32_t { none, being_written, told };
  std::atomic<End> end;
  std::atomic<std::uint32_t> first_lost;  ///< the seat that was the first to be lost, plus 1; 0: none
  std::uint32_t lost;        ///< the rank whose loss ended the job, plus 1; 0: a rank has ended it
  std::uint32_t text_bytes;  ///< of the error that all ranks are to have
  std::array<char, longest_text> text;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<State>::is_always_lock_free);

/// The memory through which the ranks of one host tell one another what they have sent: seats, cells, and the notice
/// of the job's end, and a room for more. A rank's number here is its seat, from 0. All of it begins as zeros.
class Board {
 public:
  static constexpr std::size_t bytes(Rank seats) {
    const auto n = static_cast<std::size_t>(seats);
    return sizeof(Notice) + n * sizeof(Seat) + n * n * slot_count * sizeof(Cell) + common_bytes;
  }

  /// `memory` has bytes(seats), aligned to cell_bytes, and outlives this.
  Board(std::byte* memory, Rank seats) : memory_(memory), seats_(seats) {}

  Rank seats() const { return seats_; }
  Notice& notice() const { return *reinterpret_cast<Notice*>(memory_); }
  Seat& seat(Rank rank) const {
    return reinterpret_cast<Seat*>(memory_ + sizeof(Notice))[static_cast<std::size_t>(rank)];
  }
  Cell& cell(Rank to, Rank from, Slot slot) const {
    const auto n = static_cast<std::size_t>(seats_);
    auto* const cells = reinterpret_cast<Cell*>(memory_ + sizeof(Notice) + n * sizeof(Seat));
    return cells[(static_cast<std::size_t>(to) * n + static_cast<std::size_t>(from)) * slot_count +
                 static_cast<std::size_t>(slot)];
  }

  /// common_bytes, aligned to cell_bytes.
  std::byte* common() const { return memory_ + bytes(seats_) - common_bytes; }

  /// Has every rank look at the states and the notice.
  void wake_all() const;
  /// The rank sends nothing more and has not finished. Does nothing once it has finished or is lost.
  void lose(Rank rank) const;

 private:
  std::byte* memory_;
  Rank seats_;
};

}  // namespace lbsp::transport::shared_memory
