#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "transport/shared_memory/board.hpp"
#include "transport/shared_memory/heartbeat.hpp"
#include "transport/shared_memory/job_end.hpp"
#include "transport/shared_memory/lookout.hpp"
#include "transport/shared_memory/message_memory.hpp"

namespace lbsp::transport::shared_memory {

struct LinksConfig {
  Rank self = 0;        ///< this rank's seat
  Rank first_rank = 0;  ///< the rank that has seat 0, for errors
  std::string place{};  ///< where the ranks are, for errors: " on node4", or nothing
  int processors = 1;   ///< that the ranks may use together
  /// After how long without a heartbeat an awaited rank is given up; none: as long as its seat says that it runs.
  std::optional<Duration> peer_timeout{};
  std::function<void()> look{};  ///< called now and then while the rank waits; its errors end the wait
};

/// What the other ranks of its host send one rank: it looks on, lets others run, or sleeps until a message is there,
/// and reads it where it was written.
class Inbox {
 public:
  /// `config`, `memory` and `end` must outlive this.
  Inbox(Board board, const LinksConfig& config, const MessageMemory& memory, const JobEnd& end);

  /// What that rank has sent or is about to send takes less time if this has been called well before.
  void expect(Rank from, Slot slot) const { __builtin_prefetch(&board_.cell(config_.self, from, slot)); }

  struct Awaited {
    Slot slot;
    std::uint64_t sequence;
    std::span<const Rank> sources;
    std::uint64_t superstep;  ///< for the errors' text
  };
  /// Waits until each of the sources has sent its message. Throws Aborted if a rank ends the job meanwhile, and
  /// PeerLost if a rank whose message is missing has ended or, with a peer timeout, shows no life.
  void await(const Awaited& awaited) {
    awaited_[static_cast<std::size_t>(awaited.slot)] += static_cast<std::uint32_t>(awaited.sources.size());
    if (!all_sent(awaited)) wait(awaited);
  }
  /// A message that await() has waited for, aligned to 16. It stays until the sender uses the slot again. Throws Error
  /// if what that rank says of it cannot be.
  std::span<const std::byte> message(Rank from, Slot slot) const {
    const Cell& cell = board_.cell(config_.self, from, slot);
    const std::uint64_t bytes = *const_cast<const volatile std::uint64_t*>(&cell.bytes);
    if (bytes > inline_bytes) [[unlikely]]
      return message_in_room(from, slot, bytes);
    return {cell.content.data(), static_cast<std::size_t>(bytes)};
  }

 private:
  bool has_sent(Rank rank, const Awaited& awaited) const {
    return board_.cell(config_.self, rank, awaited.slot).sequence.load(std::memory_order_acquire) >=
           awaited.sequence;
  }
  bool all_sent(const Awaited& awaited) const {
    for (const Rank rank : awaited.sources)
      if (!has_sent(rank, awaited)) return false;
    return true;
  }
  std::span<const std::byte> message_in_room(Rank from, Slot slot, std::uint64_t bytes) const;
  void wait(const Awaited& awaited);
  template <class Done>
  void sleep(const Awaited& awaited, const Done& done);
  void throw_if_gone(const Awaited& awaited) const;
  void throw_if_silent(const Awaited& awaited, Duration waited);
  Duration slice() const;

  Board board_;
  const LinksConfig& config_;
  const MessageMemory& memory_;
  const JobEnd& end_;
  std::array<std::uint32_t, slot_count> awaited_{};  ///< messages that have been waited for, by slot
  Lookout lookout_;
  Silence silence_;
};

}  // namespace lbsp::transport::shared_memory
