#pragma once

#include <chrono>
#include <cstdint>

#include "transport/paths/recent_least.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How long the queue on a path is: the delay of a datagram, one way, beyond the least of the last ten to twenty
/// seconds. The clocks of the two ends need not agree, since only differences count.
class QueueGauge {
 public:
  /// A datagram that went out at `sent` has arrived at `microseconds` of the peer's clock, modulo 2^32. Returns its
  /// delay beyond the least. Datagrams are to be given in the order in which they were sent.
  Duration add(Instant sent, std::uint32_t microseconds);

  /// The delay of the newest datagram beyond that of the first one.
  Duration delay() const { return delay_; }
  /// By how much that was below the least before it: the queue was longer by so much than it seemed.
  Duration mistaken() const { return mistaken_; }

 private:
  bool begun_ = false;
  std::uint32_t zero_ = 0;  ///< the first delay, modulo 2^32 microseconds
  Duration delay_{0};
  RecentLeast least_{std::chrono::seconds{10}};  ///< beyond zero_
  Duration mistaken_{0};
};

}  // namespace lbsp::transport
