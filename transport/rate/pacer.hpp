#pragma once

#include "transport/protocol_times.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// A token bucket: lets datagrams go so that no more than the rate is sent over any longer time.
///
/// What it may hold depends on why nothing was sent. After idle time it allows a small burst, kind to
/// routers' queues. While datagrams wait for it, it keeps the tokens of all the time since, up to
/// `longest_lateness`: a timer that fires late, or a process that had to wait for a processor, must not cost
/// throughput.
class Pacer {
 public:
  static constexpr Duration longest_lateness = std::chrono::milliseconds{10};

  /// Bytes that may go at once after idle time, however low the rate is; at most those of the longest time.
  struct Burst {
    std::size_t bytes;
    Duration longest = Duration::max();
  };

  Pacer(BytesPerSecond rate, Burst least_burst, Instant now);
  /// With the protocol's least burst, and its longest.
  Pacer(BytesPerSecond rate, std::size_t datagram_bytes, Instant now)
      : Pacer(rate, Burst{protocol::least_burst_datagrams * datagram_bytes, protocol::longest_burst}, now) {}

  /// From now on; `now` not before the last call's.
  void set_rate(BytesPerSecond rate, Instant now);
  /// The same; what has been saved up while datagrams wait stays.
  void adjust_rate(BytesPerSecond rate, Instant now);

  /// Whether a datagram may go now. Going into debt by one datagram is what lets the bucket be smaller than
  /// it.
  bool may_send(Instant now);
  /// Takes the tokens of a datagram that goes; control datagrams, which do not ask, take theirs too.
  void sent(std::size_t bytes) { tokens_ -= static_cast<double>(bytes); }
  /// When may_send() becomes true, if nothing is sent before.
  Instant next_release() const;

 private:
  void refill(Instant now);

  void use(BytesPerSecond rate);

  Burst least_burst_;
  double bytes_per_nanosecond_ = 0;
  double idle_capacity_ = 0;
  double late_capacity_ = 0;
  double tokens_ = 0;
  bool refused_ = false;  ///< datagrams wait since the last refill
  Instant refilled_;
};

}  // namespace lbsp::transport
