#pragma once

#include "transport/units.hpp"

namespace lbsp::transport {

/// A token bucket: lets datagrams go so that no more than the rate is sent over any longer time. It holds the
/// tokens of `burst`, so that timers which fire late do not cost throughput.
class Pacer {
 public:
  /// Timers of ordinary kernels are late by 0.05 to 1 ms; a millisecond of credit makes up for that without
  /// filling a router's queue.
  static constexpr Duration burst = std::chrono::milliseconds{1};

  Pacer(BytesPerSecond rate, std::size_t datagram_bytes, Instant now);

  /// Whether a datagram may go now. Going into debt by one datagram is what lets the bucket be smaller than
  /// it.
  bool may_send(Instant now);
  /// Takes the tokens of a datagram that goes; control datagrams, which do not ask, take theirs too.
  void sent(std::size_t bytes) { tokens_ -= static_cast<double>(bytes); }
  /// When may_send() becomes true, if nothing is sent before.
  Instant next_release() const;

 private:
  void refill(Instant now);

  double bytes_per_nanosecond_;
  double capacity_;
  double tokens_;
  Instant refilled_;
};

}  // namespace lbsp::transport
