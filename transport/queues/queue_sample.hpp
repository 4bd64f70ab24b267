#pragma once

#include <cstdint>
#include <optional>

#include "transport/paths/ecn_path.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What an echo says of the datagrams to one peer since the echo before.
struct QueueSample {
  Rank peer = 0;
  Instant since{};                  ///< when the newest one was sent that the echo before told of …
  Instant sent_at{};                ///< … and that this one tells of
  Duration queue{0};                ///< that it met on its path
  Duration mistaken{0};             ///< by which queues had looked shorter than they were
  double jump = 0;                  ///< by which delays there change from one to the next, in seconds
  double variation = 0;             ///< by which they have become longer at once, in seconds
  std::uint64_t datagrams = 0;      ///< sent in between …
  std::uint64_t arrived = 0;        ///< … and how many of them arrived
  std::uint64_t bytes = 0;          ///< sent in between
  bool data = true;                 ///< the newest is as long as those of data
  std::uint64_t bytes_so_far = 0;   ///< to all that the bound is for, with this one …
  std::uint64_t bytes_by_now = 0;   ///< … and until the echo came
  std::optional<Marks> marks = {};  ///< what the peer has told of those of the bound's queue
  BytesPerSecond allowed{};         ///< the rate at which all was to be sent; 0: as fast as one likes

  /// The bytes that were sent after another datagram. None if there seem to be fewer by now: the ranks of a host count
  /// together, and each one's clock is read some time before its datagrams are counted.
  std::optional<std::uint64_t> bytes_after(std::uint64_t other_bytes_so_far) const {
    if (bytes_so_far < other_bytes_so_far) return std::nullopt;
    return bytes_so_far - other_bytes_so_far;
  }

  /// Whether most of this time went by with sending so much, so there was no pause.
  bool goes_on(std::uint64_t sent_bytes, Duration time) const {
    return allowed > BytesPerSecond{0} && 2 * allowed.time_for(static_cast<double>(sent_bytes)) > time;
  }
};

}  // namespace lbsp::transport
