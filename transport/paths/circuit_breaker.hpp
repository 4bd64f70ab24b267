#pragma once

#include <cstdint>
#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// Notices that next to nothing of what is sent to a peer arrives, for a long time: first the peer is to be sent very
/// little; if that does not help, nothing any more (RFC 8085, section 3.1.10). What echoes tell counts, so that an
/// outage, during which none comes, is left to the silent-peer limit.
class CircuitBreaker {
 public:
  static constexpr double slowest_per_second = 8;  ///< datagrams

  /// 1 + the number of the newest datagram that has arrived, and how many have arrived until then, modulo 2^32. Next
  /// to nothing must arrive for `patience` before the peer is sent little, and for as long then. `next`: the number of
  /// the datagram that will be sent next. Whether most_per_second() has changed.
  bool told(std::uint64_t sent, std::uint32_t arrived, std::uint64_t next, Duration patience, Instant now);

  /// Datagrams that may go to the peer; nullopt: as many as elsewhere. As more arrives, more may go.
  std::optional<double> most_per_second() const { return most_per_second_; }
  /// The path is given up.
  bool open() const { return open_; }

  struct Stretch {
    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;
    Duration time{0};  ///< in which echoes came
  };
  /// Since next to nothing arrives.
  const Stretch& stretch() const { return whole_; }

 private:
  bool more_arrives();
  bool hardly_anything_arrives(std::uint64_t next);

  bool open_ = false;
  std::optional<double> most_per_second_;
  std::uint64_t told_sent_ = 0;
  std::uint32_t told_arrived_ = 0;
  Instant told_at_{};
  std::uint64_t first_ = 0;  ///< datagrams before this one do not count: they went out before the rate fell
  Stretch whole_;
  Stretch part_;    ///< of this, since the rate fell
  Stretch lately_;  ///< the last datagrams
};

}  // namespace lbsp::transport
