#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "transport/fifo.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Measures by how much datagrams of one direction overtake each other, so that what is late is not taken to be lost
/// (after RFC 8985, whose sender learns of it by DSACK: here the receiver sees the late ones themselves).
///
/// Each late datagram lifts the window to five quarters of its lateness, up to a round trip. After 16 round trips
/// without one that needed half of it, the window halves, and is forgotten when it is below the least. Without a
/// window what is missing is lost at once; with one, when it has not come within it.
class Reordering {
 public:
  /// A datagram has arrived although those numbered `from` … `to`-1 before it have not. Returns how many of them count
  /// as lost now.
  std::uint64_t missing(std::uint64_t from, std::uint64_t to, Instant now) {
    const bool wait = window_ > Duration::zero();
    while (gaps_.size() == most_gaps || (gaps_.size() > waiting_ && now - gaps_.front().since > remembered))
      gaps_.pop_front();
    gaps_.push_back({from, to, now, wait ? to - from : 0});
    waiting_ = std::min(waiting_ + 1, gaps_.size());
    return wait ? 0 : to - from;
  }

  /// How many more have not come within the window.
  std::uint64_t given_up(Instant now) {
    std::uint64_t lost = 0;
    for (; waiting_ > 0; --waiting_) {
      Gap& oldest = gaps_[gaps_.size() - waiting_];
      if (now - oldest.since < window_) break;
      lost += std::exchange(oldest.waited_for, 0);
    }
    return lost;
  }

  /// One of these arrives after all. Returns whether it had counted as lost.
  bool late(std::uint64_t packet, Duration round_trip, Instant now) {
    const auto gap =
        std::ranges::find_if(gaps_, [&](const Gap& each) { return each.from <= packet && packet < each.to; });
    if (gap == gaps_.end()) return true;
    const Duration lateness = now - gap->since;
    if (2 * lateness >= window_) needed_ = now;
    window_ = std::min(std::max(window_, lateness + lateness / 4), round_trip);
    if (gap->waited_for == 0) return true;
    --gap->waited_for;
    return false;
  }

  /// As window(), without a least, and until that has been asked.
  Duration late_by() const { return window_; }
  /// For how long something may be late; 0 if nothing has been lately, or less than `least`.
  Duration window(Duration round_trip, Duration least, Instant now) {
    const Duration period = rounds_to_forget * round_trip;
    for (; window_ > Duration::zero() && now - needed_ > period; needed_ += period)
      window_ = window_ / 2 < least ? Duration::zero() : window_ / 2;
    return window_;
  }

 private:
  struct Gap {
    std::uint64_t from;
    std::uint64_t to;
    Instant since;
    std::uint64_t waited_for;  ///< missing ones that do not count as lost yet
  };

  static constexpr std::size_t most_gaps = 1024;
  static constexpr Duration remembered = std::chrono::seconds{2};  ///< what is later than that was lost
  static constexpr int rounds_to_forget = 16;

  Fifo<Gap> gaps_;           ///< the newest ones, ascending
  std::size_t waiting_ = 0;  ///< the last ones, of which something may not count yet
  Duration window_{0};
  Instant needed_{};  ///< when a datagram was late by half of it or more
};

}  // namespace lbsp::transport
