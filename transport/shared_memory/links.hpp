#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/exchange.hpp"
#include "transport/shared_memory/board.hpp"
#include "transport/shared_memory/heartbeat.hpp"
#include "transport/shared_memory/lookout.hpp"
#include "transport/shared_memory/message_memory.hpp"
#include "transport/shared_memory/reach.hpp"
#include "transport/shared_memory/room_copies.hpp"

namespace lbsp::transport::shared_memory {

/// What the links of one rank stand on. `owner` keeps the board. Without `reach`, nothing can be fetched.
struct Ground {
  Board board;
  std::shared_ptr<MessageMemory> memory;
  std::shared_ptr<const Reach> reach;
  std::shared_ptr<const void> owner;
};

struct LinksConfig {
  Rank self = 0;        ///< this rank's seat
  Rank first_rank = 0;  ///< the rank that has seat 0, for errors
  std::string place{};  ///< where the ranks are, for errors: " on node4", or nothing
  int processors = 1;   ///< that the ranks may use together
  /// After how long without a heartbeat an awaited rank is given up; none: as long as its seat says that it runs.
  std::optional<Duration> peer_timeout{};
  std::function<void()> look{};  ///< called now and then while the rank waits; its errors end the wait
};

/// One rank's links to the other ranks of its host: messages through cells and rooms that all of them see. Nobody takes
/// a lock, and a message is published last, so a rank that dies at any point leaves no half message and stops nobody.
///
/// One thread uses the links; only abort() and end_job() may be called from others.
class Links {
 public:
  /// Begins to show that this rank lives. Throws SystemError.
  Links(Ground ground, LinksConfig config);
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  /// The rank is lost to the others unless it has finished.
  ~Links();

  Rank seats() const { return ground_.board.seats(); }
  /// For how long the thread that shows that this rank lives has had a processor; 0 if there is none.
  Duration thread_time() { return heartbeat_ ? heartbeat_->processor_time() : Duration{0}; }

  /// See MessageMemory::room(). Its message goes with the next send() to that seat and slot.
  std::span<std::byte> room(Rank to, Slot slot, std::size_t bytes, std::size_t used);
  /// Copies a run of bytes to a room of that seat.
  void copy(Rank to, std::byte* place, std::span<const std::byte> bytes);
  /// Publishes the first `bytes` of the room. `sequence` grows from message to message in each slot.
  void send(Rank to, Slot slot, std::uint64_t sequence, std::size_t bytes) {
    post(to, slot, sequence, bytes);
    notify(to, slot);
  }
  /// The first half of send(): who waits awake has the message from here on …
  void post(Rank to, Slot slot, std::uint64_t sequence, std::size_t bytes);
  /// … or this one, whatever is in the room.
  void post_alike(Rank to, Slot slot, std::uint64_t sequence, Lending::Alike message) {
    Cell& cell = ground_.board.cell(to, config_.self, slot);
    cell.bytes = message.size();
    std::memcpy(cell.content.data(), message.data(), message.size());
    cell.sequence.store(sequence, std::memory_order_release);
    if (room_of(to, slot).memory.size() > always_kept_bytes) [[unlikely]]
      trim_unused(to, slot);
  }
  /// The second half, which may wait a little: wakes who sleeps.
  void notify(Rank to, Slot slot);
  /// What that rank has sent or is about to send takes less time if this has been called well before.
  void expect(Rank from, Slot slot) const {
    __builtin_prefetch(&ground_.board.cell(config_.self, from, slot));
  }
  /// The next message in that slot takes less time if this has been called well before.
  void make_ready(Rank to, Slot slot) const;
  /// Copies the message to its room and publishes it.
  void send_copy(Rank to, Slot slot, std::uint64_t sequence, std::span<const std::byte> message);

  struct Awaited {
    Slot slot;
    std::uint64_t sequence;
    std::span<const Rank> sources;
    std::uint64_t superstep;  ///< for the errors' text
  };
  /// Waits until each of the sources has sent its message. Throws Aborted if a rank ends the job meanwhile, and
  /// PeerLost if a rank whose message is missing has ended or, with a peer timeout, shows no life.
  void await(const Awaited& awaited);
  /// A message that await() has waited for, aligned to 16. It stays until the sender uses the slot again. Throws Error
  /// if what that rank says of it cannot be.
  std::span<const std::byte> message(Rank from, Slot slot) const;

  /// Tries whether this rank can fetch() from the others, which have all sent it a message, and tells them if so.
  void try_reach(std::span<const Rank> others);
  /// From so many bytes on, that rank fetches from this one faster than both copy a message; never if it cannot fetch.
  std::size_t least_offer(Rank to) const {
    const bool can = ground_.board.seat(to).reaches_all.load(std::memory_order_acquire) != 0;
    return can ? least_offer_ : std::numeric_limits<std::size_t>::max();
  }
  /// Copies from the memory of another rank. Throws as await() if that rank has ended, and Error if it has no such
  /// memory.
  void fetch(Rank from, std::uint64_t address, std::span<std::byte> into, std::uint64_t superstep);

  /// Lending::settle() with seats, in the superstep that is the `count`-th.
  void settle(bool of_first_leg, std::uint64_t count, std::span<const Rank> owners,
              std::span<const Rank> readers);

  /// Throws what await() would throw if these ranks were awaited: Aborted, or PeerLost if one of them is lost.
  void throw_if_lost(std::span<const Rank> ranks, std::uint64_t superstep) const;
  /// Throws Aborted, or what end_job() said, if a rank has ended the job.
  void throw_if_job_ended() const;
  /// This rank sends nothing more, and that is in order.
  void finish();
  /// The first call of any rank ends the job for all. From any thread.
  void abort(std::string_view reason) noexcept;
  /// The same with an error of this rank that all are to have: PeerLost of `lost`, or else Aborted.
  void end_job(std::string_view error, std::optional<Rank> lost) noexcept;

 private:
  /// Rooms keep what messages of about their size have used; of up to so many bytes always.
  static constexpr std::size_t always_kept_bytes = std::size_t{1} << 20;

  struct Room {
    std::span<std::byte> memory{};
    std::size_t recent = 0;  ///< bytes of the last messages, the older the less
  };

  Room& room_of(Rank to, Slot slot) {
    return rooms_[static_cast<std::size_t>(to) * slot_count + static_cast<std::size_t>(slot)];
  }
  void trim(Rank to, Slot slot);
  void trim_unused(Rank to, Slot slot);
  bool has_sent(Rank rank, const Awaited& awaited) const;
  template <class Done>
  void sleep(const Awaited& awaited, const Done& done);
  void throw_if_ended(const Awaited& awaited) const;
  [[noreturn]] void throw_ended(Rank rank, std::uint64_t superstep) const;
  void throw_if_silent(const Awaited& awaited, Duration waited);
  Duration slice() const;

  Ground ground_;
  LinksConfig config_;
  bool processor_each_;
  std::size_t least_offer_;
  std::vector<Room> rooms_;
  std::vector<RoomCopies> copies_;                   ///< by receiver
  std::array<std::uint32_t, slot_count> awaited_{};  ///< messages that have been waited for, by slot
  Lookout lookout_;
  Silence silence_;
  std::optional<Heartbeat> heartbeat_;
};

}  // namespace lbsp::transport::shared_memory
