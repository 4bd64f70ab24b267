#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "transport/options.hpp"

namespace lbsp::transport {

/// Suspects that a path carries short datagrams but no long ones (its MTU is below the datagram, and nobody says
/// so).
///
/// The longest datagrams that have gone out since one of them was known to arrive are the long ones. A witness is the
/// news that a shorter datagram has arrived, although long ones went out before it. The path is suspected when a
/// witness is younger than six long datagrams, or at the fourth witness, each of which is younger than another long
/// one. Chance does that too: about once in 10^5 datagrams at 15 % of random loss. So whoever suspects a path asks it
/// (PathSizes). An outage makes one witness. One long arrival acquits the path.
///
/// That is late: those that were on their way when the path became narrow went out before the last long arrival was
/// known. Echoes tell how many have arrived: if these are no more than the shorter ones that they tell of, none of the
/// long ones is among them. Six such long ones say nothing of a rate as long as no long one arrives. A full queue does
/// that, too, so a trial would cost too much.
class NarrowPath {
 public:
  static constexpr std::size_t enough_long = 6;
  static constexpr int enough_witnesses = 4;

  /// A datagram goes out.
  void sent(std::uint64_t packet_number, std::size_t bytes) {
    if (bytes <= min_datagram_bytes || bytes < since_.bytes) return;
    if (bytes > since_.bytes) since_ = {};
    since_.bytes = bytes;
    since_.untold = std::min(since_.untold, packet_number);
    if (since_.count < enough_long) since_.first[since_.count] = packet_number;
    ++since_.count;
  }

  /// An echo tells of one of so many bytes that went out before the newest that has arrived, in their order …
  void passed(std::size_t bytes) {
    ++echo_.all;
    if (bytes <= min_datagram_bytes || bytes < passed_.bytes) return;
    if (bytes > passed_.bytes) {
      passed_ = {.bytes = bytes};
      echo_.long_ones = 0;
    }
    ++echo_.long_ones;
  }
  /// … and so many of those of which it tells have arrived, besides the newest, of so many bytes.
  void echoed(std::size_t newest_bytes, std::uint32_t others_arrived) {
    const Echo echo = std::exchange(echo_, {});
    if (newest_bytes >= passed_.bytes) {
      passed_ = {};
      return;
    }
    const std::uint32_t short_ones = echo.all - echo.long_ones;
    if (others_arrived <= short_ones) {
      passed_.count += echo.long_ones;
    } else {
      // The long ones that have arrived may all have gone out before those that have not.
      const bool many_missing = echo.all - std::min(echo.all, others_arrived) >= enough_long;
      passed_ = {.bytes = passed_.bytes, .unclear = many_missing && echo.long_ones >= enough_long};
    }
  }

  /// A datagram of so many bytes is known to have arrived.
  void arrived(std::size_t bytes) {
    if (bytes >= since_.bytes) since_ = {};
    if (bytes >= passed_.bytes) passed_ = {};
  }

  /// The newest datagram that is known to have arrived is this one, and all that its news says of others has been
  /// entered. Returns whether it is a witness.
  bool reported(std::uint64_t newest_packet, std::size_t newest_bytes) {
    if (newest_bytes >= since_.bytes || since_.untold > newest_packet) return false;
    since_.untold = none;
    ++since_.witnesses;
    since_.many_lost =
        since_.many_lost || (since_.count >= enough_long && since_.first.back() < newest_packet);
    return true;
  }

  /// Long datagrams have gone out of which nothing is known.
  bool untold() const { return since_.untold != none; }
  bool doubtful() const { return since_.witnesses > 0; }
  bool suspected() const { return since_.many_lost || since_.witnesses >= enough_witnesses; }
  /// Echoes have told of six long ones, and for all they say none of these, or of the last of these, has arrived.
  bool lacks_long_ones() const { return passed_.unclear || passed_.count >= enough_long; }
  /// The length of the long ones; 0 if there were none.
  std::size_t long_bytes() const { return since_.bytes; }
  /// How many have gone out.
  std::uint64_t long_ones() const { return since_.count; }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  /// The long ones that have gone out since one was known to arrive.
  struct Since {
    std::size_t bytes = 0;
    std::array<std::uint64_t, enough_long> first{};  ///< the numbers of the first ones
    std::uint64_t count = 0;                         ///< of all
    std::uint64_t untold = none;                     ///< the number of the first one since the last witness
    int witnesses = 0;
    bool many_lost = false;
  };
  /// The longest ones of which echoes have told since one was known to arrive.
  struct Passed {
    std::size_t bytes = 0;
    std::uint64_t count = 0;  ///< of those none of which has arrived
    bool unclear = false;     ///< of those of the last echo, whether any of the last ones has arrived
  };
  /// What an echo tells of, without the newest.
  struct Echo {
    std::uint32_t all = 0;
    std::uint32_t long_ones = 0;
  };

  Since since_ = {};
  Passed passed_ = {};
  Echo echo_ = {};
};

}  // namespace lbsp::transport
