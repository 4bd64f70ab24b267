#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transport/membership/knock.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// To which process datagrams go. Those of the job's start have their slots as numbers; each process numbers the later
/// ones of any slot by itself, from the job's size on, as it hears of them.
using Station = int;

/// The newcomers that a member has heard of, and which process has which slot. Who has no slot, now or in the epoch
/// before, and has not knocked for longer than a newcomer does, is forgotten where a new one needs the room, and his
/// station is that one's then.
class Callers {
 public:
  /// A member knows no more newcomers at once: those of three epochs, and some that knock.
  static constexpr Station most = 1024;
  /// Of so many that are forgotten it knows that no knock of theirs counts any more: it is an old one, sent again.
  static constexpr std::size_t most_forgotten = 16384;
  /// A newcomer knocks for less than this.
  static constexpr Duration longest_silence = std::chrono::seconds{70};

  Callers(const JobKey& job_key, Slot self, Slot size, Cipher cipher);

  /// A knock. Returns who knocks; nothing if it is not authentic, or was there before, or nobody can be forgotten for
  /// it.
  std::optional<Station> take(std::span<std::byte> datagram, Instant now);
  /// For each of these slots, who has knocked for it last, not before `since`. Nobody has a seat twice.
  std::vector<Seat> seats_for(const MemberSet& lost, Instant since) const;
  /// The decision of an epoch has given these seats. Their processes are told, now and whenever they knock again. Who
  /// has never knocked here is looked for where its slot was at this process's start: that is its place, if it was
  /// started before a new process.
  void seat(Letter letter);

  /// The stations that are another process's since the last call.
  std::vector<Station> take_reused() { return std::exchange(reused_, {}); }

  /// Who has that slot.
  Station station_of(Slot slot) const { return by_slot_[static_cast<std::size_t>(slot)]; }
  const std::vector<Station>& stations() const { return by_slot_; }
  /// The slot that this process has; none if it is one that has lost it, or not got it yet.
  std::optional<Slot> slot_of(Station station) const;

  /// Writes a letter that is due into the buffer, which has longest_letter_datagram_bytes.
  std::optional<std::pair<Station, std::size_t>> poll_letter(std::span<std::byte> buffer);
  bool has_letters() const { return !to_tell_.empty(); }

 private:
  struct Caller {
    Seat seat;
    DoorChannel channel;
    std::optional<Instant> knocked;  ///< last
    bool seated = false;
  };

  Caller& of(Station station) { return callers_[static_cast<std::size_t>(station - size_)]; }
  Station station_of(const Incarnation& incarnation) const;
  Station add(const Seat& seat);
  /// Adds him, in the place of one that may be forgotten if there is no other. Nothing if there is none: all of those
  /// have knocked since then.
  std::optional<Station> enter(Caller caller, Instant since);
  bool may_be_forgotten(std::size_t place) const;
  void forget(const Incarnation& incarnation);
  bool is_told(const Caller& caller) const;

  JobKey job_key_;
  Slot self_;
  Slot size_;
  Cipher cipher_;
  std::vector<Station> by_slot_;
  std::vector<Station> before_;  ///< the same in the epoch before
  std::vector<Caller> callers_;
  std::optional<Letter> letter_;
  std::deque<Station> to_tell_;
  std::vector<Station> reused_;
  std::deque<Incarnation> forgotten_;  ///< the oldest first
};

}  // namespace lbsp::transport
