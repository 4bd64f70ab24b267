#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lbsp::transport {

/// Finds out that a path carries small datagrams but no large ones (its MTU is below the datagram, and nobody
/// says so).
///
/// A witness is a report that names a small datagram as the newest that has arrived, although a large one
/// went out before it and after the last witness, and none of the large ones is known to have arrived.
/// Random loss makes witnesses only if it takes one large datagram after another while the small ones between them
/// arrive; bursts take both. `enough_witnesses` in a row come about once in 10^5 suspicions at 30 % loss. An outage
/// gives at most one witness. One large arrival acquits the path.
class NarrowPath {
 public:
  static constexpr int enough_witnesses = 10;

  /// A datagram goes out. It is large if it is longer than `small`, the size to fall back to.
  void sent(std::uint64_t packet_number, std::size_t bytes, std::size_t small) {
    small_ = small;
    if (bytes <= small) return;
    smallest_large_ = std::min(smallest_large_, bytes);
    large_ = std::min(large_, packet_number);
  }

  /// A datagram of so many bytes is known to have arrived.
  void arrived(std::size_t bytes) {
    if (bytes >= smallest_large_) *this = {};
  }

  /// A report has come, and all that it tells has been entered. The newest datagram that has arrived is this
  /// one. Returns whether the report was a witness.
  bool reported(std::uint64_t newest_packet, std::size_t newest_bytes) {
    if (newest_bytes > small_ || large_ > newest_packet) return false;
    large_ = none;
    ++witnesses_;
    return true;
  }

  /// Large datagrams have gone out of which nothing is known.
  bool untold() const { return large_ != none; }
  bool suspected() const { return witnesses_ > 0; }
  bool certain() const { return witnesses_ >= enough_witnesses; }
  /// The shortest of the large datagrams, none of which has arrived.
  std::size_t smallest_large() const { return smallest_large_; }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t large_ = none;  ///< the number of the first one since the last witness
  std::size_t smallest_large_ = std::numeric_limits<std::size_t>::max();
  std::size_t small_ = 0;
  int witnesses_ = 0;
};

}  // namespace lbsp::transport
