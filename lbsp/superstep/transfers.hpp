#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lbsp/superstep/agreement/slot_table.hpp"
#include "lbsp/superstep/byte_puts.hpp"
#include "lbsp/superstep/messages/mail.hpp"
#include "lbsp/superstep/messages/message_writer.hpp"
#include "lbsp/superstep/messages/offers.hpp"
#include "lbsp/superstep/messages/unsynced.hpp"
#include "lbsp/superstep/pending_gets.hpp"
#include "lbsp/superstep/recording/recorder.hpp"
#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// A run of `count` elements that starts at element `offset` of a slot's memory on `rank`.
struct Place {
  SlotNumber slot;
  Rank rank;
  std::uint64_t offset;
  std::uint64_t count;
};

/// Which rank this is, and how far it is.
struct Standing {
  Rank rank;
  Rank size;
  std::uint64_t superstep = 0;
  bool over = false;     ///< a sync goes on, or the program may make no further ones
  bool in_work = false;  ///< of sync_meanwhile
};

/// What the program has one rank register and transfer in the current superstep: checked at the call, and written to
/// the message for each rank.
class Transfers {
 public:
  /// The references must outlive this.
  Transfers(transport::Exchange& exchange, const Standing& standing, Mail& mail, Recorder& recorder);

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

  /// Nothing has been registered, released, agreed or transferred.
  bool none() const;
  /// What has been transferred.
  Unsynced unsynced() const { return count_unsynced(writers_); }
  /// Finishes the message for each rank. Returns their lengths, by destination; the own one never leaves.
  std::span<const std::size_t> finish(Ending ending);
  /// Begins new messages.
  void restart();
  /// Forgets what has been transferred.
  void drop();

  /// Of puts.
  Offers& offers() { return offers_; }
  /// By the rank asked.
  std::span<PendingGets> gets() { return gets_; }

 private:
  void check_rank(std::string_view call, Rank rank) const;
  [[noreturn]] void refuse(std::string_view call, const Place& place) const;
  MessageWriter& writer(Rank to) { return writers_[static_cast<std::size_t>(to)]; }

  const Standing& standing_;
  Rank size_;  ///< again, at hand for each transfer
  Recorder& recorder_;
  SlotTable slots_;
  Offers offers_;
  std::vector<MessageWriter> writers_;  ///< by destination
  std::vector<PendingGets> gets_;
  std::vector<std::size_t> lengths_;
};

}  // namespace lbsp::superstep
