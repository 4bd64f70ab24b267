#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lbsp/superstep/agreement/collective_call.hpp"
#include "lbsp/superstep/agreement/wording.hpp"
#include "lbsp/superstep/messages/layout.hpp"
#include "transport/units.hpp"

namespace lbsp::superstep {

/// The number of a registration, the same on every rank because all register in the same order.
using SlotNumber = std::uint32_t;

/// A message of a queue, viewed in the message that brought it.
struct Received {
  Rank source;
  std::span<const std::byte> tag;
  std::span<const std::byte> values;
};

/// What a rank registers: memory, or a queue.
struct SlotSpec {
  SlotKind kind = SlotKind::memory;
  std::uint32_t element_bytes = 1;
  std::uint64_t tag_bytes = 0;            ///< queue; any_tag: each message has a tag of its own size
  std::span<std::byte> memory;            ///< memory; empty: no memory on this rank
  std::shared_ptr<void> owner = nullptr;  ///< keeps the memory alive until the release takes effect
  bool absent = false;                    ///< memory; this rank has none, and release_absent() can mean it
};

struct Slot : SlotSpec {
  bool live = false;                       ///< registered, and its release has not taken effect
  std::uint64_t age = 0;                   ///< counts all registrations, the same on every rank
  std::vector<std::uint64_t> bytes_at;     ///< by rank: registered bytes, or unknown_bytes
  std::vector<std::uint64_t> elements_at;  ///< by rank: how many a transfer may name; see learn()
  std::vector<Rank> absent_at;             ///< the ranks that have none, in no order
  std::vector<Received> received;          ///< queue: what the last sync delivered

  /// Sets the size on `rank`. Counts the elements now: a division for each transfer would show.
  void learn(Rank rank, std::uint64_t bytes);
};

/// "Another rank's size, before the sync that tells it."
inline constexpr std::uint64_t unknown_bytes = ~std::uint64_t{0};

/// No object is larger, so byte offsets within it cannot overflow.
inline constexpr std::uint64_t most_bytes = std::numeric_limits<std::int64_t>::max();

/// The registrations of one rank, and the log of the collective calls of this superstep. A registration takes
/// effect at once. A release takes effect at the end of the superstep, so that the others' transfers of this
/// superstep still find the memory. Numbers of released slots are used again, in the order of the log.
class SlotTable {
 public:
  SlotTable(Rank rank, Rank size) : rank_(rank), size_(size) {}

  /// How errors are worded from here on. `wording` must outlive this.
  void speak(const Wording& wording) { wording_ = &wording; }

  SlotNumber add(SlotSpec spec);
  void release(SlotNumber number) noexcept;

  /// Releases a registration that is absent here, without saying which: the one that the other ranks release
  /// in the same place, or if it is absent on all of them, the newest such one. Known after the superstep.
  void release_absent();

  /// Logs a value that all ranks must log in the same place.
  void agree(std::uint64_t value, LogKind kind = LogKind::agreed);
  void agree_on_graph(std::uint64_t digest, std::uint64_t tokens);

  /// Logs a collective that all ranks must call in the same place.
  void call_collective(const CollectiveCall& call);

  Slot& operator[](SlotNumber number) { return slots_[number]; }
  const Slot& operator[](SlotNumber number) const { return slots_[number]; }

  /// The slot if it is live, else null. For numbers that come from other ranks.
  Slot* find(SlotNumber number) {
    return number < slots_.size() && slots_[number].live ? &slots_[number] : nullptr;
  }

  std::span<const LogEntry> log() const { return log_; }

  /// Compares another rank's log of this superstep with this rank's, and learns its sizes. Throws UsageError,
  /// which says what each of the two did, if they differ.
  void compare(std::span<const LogEntry> theirs, Rank source, std::uint64_t superstep);

  /// Finds what each release_absent() of this superstep means. `logs` are those of all ranks, which have been
  /// compared. Throws UsageError if there is nothing that all ranks can mean.
  void resolve_absent(const std::vector<std::span<const LogEntry>>& logs, std::uint64_t superstep);

  /// Empties all queues, because the messages that they view are about to go.
  void forget_received();

  /// Ends the superstep: releases take effect, and the log begins anew.
  void close_superstep();

 private:
  SlotNumber named_at(const std::vector<std::span<const LogEntry>>& logs, std::size_t place,
                      std::uint64_t superstep) const;
  SlotNumber newest_absent_everywhere(std::size_t place) const;

  const char* remedy_at(std::span<const LogEntry> mine, std::span<const LogEntry> theirs,
                        std::size_t place) const;
  std::string describe_at(std::span<const LogEntry> log, std::size_t place) const;

  Rank rank_;
  Rank size_;
  const Wording* wording_ = &cxx_wording;
  std::uint64_t registered_ = 0;
  std::vector<Slot> slots_;
  std::vector<SlotNumber> free_;
  std::vector<LogEntry> log_;
};

}  // namespace lbsp::superstep
