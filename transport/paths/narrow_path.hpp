#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

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
class NarrowPath {
 public:
  static constexpr std::size_t enough_long = 6;
  static constexpr int enough_witnesses = 4;

  /// A datagram goes out.
  void sent(std::uint64_t packet_number, std::size_t bytes) {
    if (bytes <= min_datagram_bytes || bytes < long_bytes_) return;
    if (bytes > long_bytes_) *this = {};
    long_bytes_ = bytes;
    untold_ = std::min(untold_, packet_number);
    if (count_ < enough_long) long_[count_] = packet_number;
    ++count_;
  }

  /// A datagram of so many bytes is known to have arrived.
  void arrived(std::size_t bytes) {
    if (bytes >= long_bytes_) *this = {};
  }

  /// The newest datagram that is known to have arrived is this one, and all that its news says of others has been
  /// entered. Returns whether it is a witness.
  bool reported(std::uint64_t newest_packet, std::size_t newest_bytes) {
    if (newest_bytes >= long_bytes_ || untold_ > newest_packet) return false;
    untold_ = none;
    ++witnesses_;
    many_lost_ = many_lost_ || (count_ >= enough_long && long_.back() < newest_packet);
    return true;
  }

  /// Long datagrams have gone out of which nothing is known.
  bool untold() const { return untold_ != none; }
  bool doubtful() const { return witnesses_ > 0; }
  bool suspected() const { return many_lost_ || witnesses_ >= enough_witnesses; }
  /// The length of the long ones; 0 if there were none.
  std::size_t long_bytes() const { return long_bytes_; }
  /// How many have gone out.
  std::uint64_t long_ones() const { return count_; }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  std::size_t long_bytes_ = 0;
  std::array<std::uint64_t, enough_long> long_{};  ///< the numbers of the first ones
  std::uint64_t count_ = 0;                        ///< of all
  std::uint64_t untold_ = none;                    ///< the number of the first one since the last witness
  int witnesses_ = 0;
  bool many_lost_ = false;
};

}  // namespace lbsp::transport
