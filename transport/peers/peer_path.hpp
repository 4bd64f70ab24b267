#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "transport/paths/circuit_breaker.hpp"
#include "transport/paths/ecn_path.hpp"
#include "transport/paths/loss_at_bound.hpp"
#include "transport/paths/loss_estimate.hpp"
#include "transport/paths/narrow_path.hpp"
#include "transport/paths/path_estimate.hpp"
#include "transport/paths/path_sizes.hpp"
#include "transport/rate/burst_meter.hpp"
#include "transport/rate/path_rate.hpp"
#include "transport/rate/rate_control.hpp"

namespace lbsp::transport {

/// What is known of the path to one peer.
struct PeerPath {
  /// The most bytes in one segment of a message of `total` bytes that is cut for it.
  std::size_t segment_bytes(std::uint64_t total) const {
    return sizes.in_use() - data_overhead(total, in_rounds);
  }
  /// The bytes in one segment of a message of `total` bytes. `expected_loss`: part of the datagrams that is lost.
  std::size_t segment_bytes_for(std::uint64_t total, double expected_loss) const;
  /// A datagram of so many bytes is known to have arrived.
  void arrived(std::size_t bytes) {
    narrow.arrived(bytes);
    sizes.arrived(bytes);
    longest_arrived = std::max(longest_arrived, bytes);
  }
  /// Two datagrams in a round trip: no receiver grants less, and no sender heeds a lower grant.
  BytesPerSecond least_grant() const;
  /// However little the peer grants.
  BytesPerSecond least_heeded() const;

  PathSizes sizes;
  bool in_rounds = false;  ///< segments are sent in the paper's rounds
  EcnPath ecn{false};
  std::size_t longest_arrived = 0;  ///< bytes of a datagram
  /// Of the datagrams with lower numbers those may have been too long that have not arrived.
  std::uint64_t narrow_until = 0;
  NarrowPath narrow = {};
  PathEstimate times = {};
  PathForecast prior = default_prior();
  LossReport loss = {};  ///< of what goes to the peer, as it says
  LossAtBound loss_at_bound = {};
  TrainMark train_mark = {};
  PathRate rate = {};
  BurstMeter bursts = {};
  CircuitBreaker breaker = {};
};

}  // namespace lbsp::transport
