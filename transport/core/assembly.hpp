#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Puts the segments that arrive together to messages.
class Assembly {
 public:
  explicit Assembly(EndpointState& state) : state_(state) {}

  /// Takes a segment, or a coded one; false if it makes no sense. Throws std::bad_alloc if there is no memory
  /// for the message, or to decode it.
  bool take(Peer& from, const SegmentHeader& header, std::span<const std::byte> payload, bool coded,
            Instant now);
  /// Hands out the messages of the completed leg, by rank.
  std::vector<Bytes> take_messages();

  /// The best rate at which a message arrived; 0: none was long enough to tell.
  BytesPerSecond best_rate() const { return best_rate_; }

 private:
  void take_size_of(Peer& from, const SegmentHeader& header, Instant now);
  IncomingMessage* open(Peer& from, const SegmentHeader& header);

  EndpointState& state_;
  BytesPerSecond best_rate_;
};

}  // namespace lbsp::transport
