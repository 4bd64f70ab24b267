#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/superstep/mail.hpp"
#include "lbsp/superstep/message_reader.hpp"
#include "lbsp/superstep/message_writer.hpp"
#include "lbsp/superstep/offers.hpp"
#include "lbsp/superstep/pending_gets.hpp"
#include "lbsp/superstep/recorder.hpp"
#include "lbsp/superstep/slot_table.hpp"
#include "lbsp/superstep/unsynced.hpp"
#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// A run of `count` elements that starts at element `offset` of a slot's memory on `rank`.
struct Place {
  SlotNumber slot;
  Rank rank;
  std::uint64_t offset;
  std::uint64_t count;
};

/// Puts into one slot of single bytes, with everything they need at hand. It is for an interface that does
/// more at each put than Engine::put(), but must not cost more.
class BytePuts {
 public:
  BytePuts() = default;
  BytePuts(std::span<const std::uint64_t> bytes_at, std::span<MessageWriter> writers, SlotNumber slot)
      : bytes_at_(bytes_at), writers_(writers.data()), slot_(slot) {}

  /// Puts at least one byte. Does nothing and returns false where Engine::put() would throw.
  bool try_put(Rank to, std::uint64_t offset, std::span<const std::byte> data) const {
    const auto rank = static_cast<std::uint32_t>(to);
    if (rank >= bytes_at_.size()) return false;
    const std::uint64_t bytes = bytes_at_[rank];
    if (offset > bytes || data.size() > bytes - offset) return false;
    writers_[rank].put(slot_, offset, data);
    return true;
  }

 private:
  std::span<const std::uint64_t> bytes_at_;  ///< by rank; of a vector in the slot, which stays where it is
  MessageWriter* writers_ = nullptr;         ///< by rank
  SlotNumber slot_ = 0;
};

/// One rank's supersteps: collects the transfers of the current one, and at its end turns them into one
/// message per rank, has them exchanged, and carries out what came in, in the order
///   1. what the gets of all ranks ask for is read, 2. gets are filled, 3. puts are written and sends filed,
///      by source rank, then in the order of the calls; this rank's own at its own place.
class Engine {
 public:
  explicit Engine(transport::Exchange& exchange);

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  std::uint64_t superstep() const { return superstep_; }
  Recorder& recorder() { return recorder_; }
  /// How errors are worded from here on. `wording` must outlive this.
  void speak(const Wording& wording) {
    wording_ = &wording;
    slots_.speak(wording);
  }
  SlotTable& slots() { return slots_; }

  /// Throws UsageError, which names the call, if the place is not inside what that rank registered. If its
  /// size is not known yet, the other rank checks at the sync.
  void check(std::string_view call, const Place& place) const {
    const Slot& slot = slots_[place.slot];
    const bool is_rank = static_cast<std::uint32_t>(place.rank) < static_cast<std::uint32_t>(size_);
    const std::uint64_t elements = is_rank ? slot.elements_at[static_cast<std::size_t>(place.rank)] : 0;
    if (!is_rank || place.offset > elements || place.count > elements - place.offset) [[unlikely]]
      refuse(call, place);
  }

  /// Transfers of no bytes do nothing. All throw as check() does.
  void put(const Place& place, std::span<const std::byte> data) {
    if (place.count == 0) return;
    check("put", place);
    writer(place.rank).put(place.slot, place.offset * slots_[place.slot].element_bytes, data);
  }
  /// The same of memory that stays and does not change until sync() returns, which may so save a copy.
  void put_unbuffered(const Place& place, std::span<const std::byte> data);
  void get(const Place& place, std::span<std::byte> into, std::shared_ptr<Completion> completion);
  /// For puts into a slot of single bytes. Valid until its release takes effect.
  BytePuts byte_puts(SlotNumber slot) { return {slots_[slot].elements_at, writers_, slot}; }
  void send(SlotNumber queue, Rank to, std::span<const std::byte> tag, std::span<const std::byte> values);
  /// The same, but the caller writes the bytes where this returns, before its next transfer to that rank.
  std::span<std::byte> put_in_place(const Place& place);
  std::span<std::byte> send_in_place(SlotNumber queue, Rank to, std::span<const std::byte> tag,
                                     std::size_t bytes);

  /// Ends the superstep. After an error, every further call throws UsageError.
  void sync();

  /// What no sync has carried out yet.
  Unsynced unsynced() const { return over_ ? Unsynced{} : count_unsynced(writers_); }

  /// Ends the program in order, together with all other ranks. What no sync has carried out is dropped.
  void end();

 private:
  using Messages = std::span<const std::span<const std::byte>>;

  void begin();
  bool transfers_nothing() const;
  /// Whether no rank transfers anything, which is then done; if not, opens the messages of all.
  bool exchange_heads();
  template <class Call>
  Messages exchange_or_restart(const Call& exchange);
  void exchange_messages(Ending ending);
  void open(Messages arrived, std::span<const std::byte> own);
  void end_superstep();
  void compare(Ending ending);
  void resolve_absent();
  void settle(Offers& offers);
  void exchange_gets();
  void answer_and_fill();
  void check_rank(std::string_view call, Rank rank) const;
  [[noreturn]] void refuse(std::string_view call, const Place& place) const;
  MessageWriter& writer(Rank to) { return writers_[static_cast<std::size_t>(to)]; }

  transport::Exchange& exchange_;
  Rank rank_;
  Rank size_;
  std::uint64_t superstep_ = 0;
  bool over_ = false;
  const Wording* wording_ = &cxx_wording;
  SlotTable slots_;
  Mail mail_;                           ///< queues view into what arrived by it until the next sync
  Offers offers_;                       ///< of puts
  Offers reply_offers_;                 ///< of what gets ask for
  std::vector<MessageWriter> writers_;  ///< by destination; the own one never leaves
  std::vector<PendingGets> gets_;       ///< by the rank asked
  std::vector<Message> messages_;       ///< what arrived, taken apart; only during a sync
  std::vector<std::size_t> lengths_;    ///< by destination: of the message
  Recorder recorder_;
  std::function<void()> begin_sync_ = [this] { recorder_.begin_sync(); };
};

}  // namespace lbsp::superstep
