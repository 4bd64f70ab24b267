#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "transport/units.hpp"

namespace lbsp::transport {

/// How much may be on its way to one peer at once as long as nobody knows what the path carries, in a job in which a
/// rank that is silent is given up soon: what fills a slow link is what its ranks then wait for.
///
/// It begins small, and grows by what arrives while it is used, so that it doubles in a round trip (slow start; RFC
/// 5681, and for when it is not used RFC 7661), but not while round trips are clearly longer than the shortest, as
/// there is a queue then (HyStart++: RFC 9406). After some round trips the rate is the limit, which has been found by
/// then.
class UnprovenWindow {
 public:
  /// `least`: bytes with which it begins.
  explicit UnprovenWindow(std::uint64_t least) : bytes_(least) {}

  std::uint64_t bytes() const { return bytes_; }
  /// So many bytes have arrived, of `on_way` that were on their way. `least`: the shortest round trip.
  void arrived(std::uint64_t bytes, std::uint64_t on_way, Duration least, Duration round_trip) {
    const bool queued = round_trip > least + std::max<Duration>(least_queue, least / part_of_round_trip);
    if (!queued && 2 * on_way >= bytes_) bytes_ = std::min(bytes_ + bytes, most);
  }
  /// What the least window is of a rank that sends to so many peers.
  static std::uint64_t least(Duration peer_timeout, Rank peers, std::size_t datagram_bytes) {
    const double of_all = std::min(seconds(peer_timeout) * part_of_timeout * slowest.value, most_at_first);
    const auto each = static_cast<std::uint64_t>(of_all / std::max(peers, Rank{1}));
    return std::max<std::uint64_t>(each, least_datagrams * datagram_bytes);
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 40;
  /// Of the time after which a silent rank is given up: for so long the first datagrams may fill a link as slow as
  /// this one.
  static constexpr double part_of_timeout = 0.125;
  static constexpr BytesPerSecond slowest{1e6 / 8};
  /// A link of 4 Mbit/s carries as much in a tenth of a second.
  static constexpr double most_at_first = 48 << 10;
  static constexpr std::size_t least_datagrams = 4;
  /// Delays vary by less.
  static constexpr Duration least_queue = std::chrono::milliseconds{25};
  static constexpr int part_of_round_trip = 4;

  std::uint64_t bytes_;
};

}  // namespace lbsp::transport
