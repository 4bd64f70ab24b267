#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "transport/units.hpp"
#include "transport/wire/replay_window.hpp"

namespace lbsp::transport {

/// Which of a peer's datagrams echoes tell of: the newest, but for those that have overtaken others. One that took a
/// shorter way says how long that is, and nothing of the others. If it were the newest, their delay would look like a
/// queue, and those that it has overtaken like losses.
///
/// Whether the datagrams before it are lost or only later shows when the next one comes; on a path where some have come
/// late, when none of them has come for as long as those were late.
class NewestInTurn {
 public:
  /// A datagram arrives that is entered in `numbers` already; `questions`: so many of those before it need not come.
  /// `late`: how late others may be (Reordering); 0: none has been. Returns whether echoes are to tell of it.
  bool enter(std::uint64_t packet, std::uint64_t questions, const ReplayWindow& numbers, Duration late,
             Instant now) {
    if (packet < next_) return false;
    const std::uint64_t before = packet - next_;
    const std::uint64_t missing = before - std::min(before, questions + ahead_);
    const bool in_turn = missing < many || numbers.distinct() == 1;
    if (!in_turn && jumps_++ == 0) since_ = now;
    const bool others_lost = late > Duration::zero() ? now - since_ >= late : jumps_ > 1;
    if (!in_turn && !others_lost) {
      ++ahead_;
      return false;
    }
    move_to(packet, numbers);
    jumps_ = in_turn ? 0 : 1;
    since_ = now;
    return true;
  }
  /// Whether an echo that is made now tells of the largest number after all.
  bool gives_up(Duration late, Instant now) const { return ahead_ > 0 && now - since_ >= late; }
  void give_up(const ReplayWindow& numbers) {
    next_ = numbers.next();
    ahead_ = 0;
    jumps_ = 0;
  }

  /// 1 + its number; 0: none has come.
  std::uint64_t next() const { return next_; }
  /// How many have come that are newer.
  std::uint64_t ahead() const { return ahead_; }

 private:
  static constexpr std::uint64_t many = 4;

  void move_to(std::uint64_t packet, const ReplayWindow& numbers) {
    for (std::uint64_t number = next_; number < packet && ahead_ > 0; ++number) {
      if (!numbers.is_new(number)) --ahead_;
    }
    next_ = packet + 1;
  }

  std::uint64_t next_ = 0;
  std::uint64_t ahead_ = 0;
  int jumps_ = 0;    ///< one after the other, over many that are missing …
  Instant since_{};  ///< … the first of them, or the last move
};

}  // namespace lbsp::transport
