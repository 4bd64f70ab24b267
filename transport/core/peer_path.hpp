#pragma once

#include <algorithm>
#include <cstddef>

#include "transport/core/datagram_sizes.hpp"
#include "transport/core/narrow_path.hpp"
#include "transport/core/path_estimate.hpp"
#include "transport/core/rate_control.hpp"

namespace lbsp::transport {

/// What is known of the path to one peer.
struct PeerPath {
  /// The bytes in one segment of a message that is cut for it.
  std::size_t segment_bytes() const { return datagram_bytes - data_overhead_bytes; }
  /// Datagrams to the peer may not be longer than this from here on.
  void limit_datagrams(std::size_t bytes) {
    datagram_bytes = std::clamp(bytes, min_datagram_bytes, datagram_bytes);
  }

  std::size_t datagram_bytes;  ///< the longest datagram that may be sent to the peer
  NarrowPath narrow = {};
  PathEstimate times = {};
  PathForecast prior = default_prior();
  LossReport loss = {};  ///< of what goes to the peer, as it says
  TrainMark train_mark = {};
};

}  // namespace lbsp::transport
