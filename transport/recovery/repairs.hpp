#pragma once

#include <cstdint>
#include <span>

#include "transport/messages/loss_detection.hpp"
#include "transport/messages/outgoing_message.hpp"
#include "transport/peers/endpoint_state.hpp"

namespace lbsp::transport {

/// Tells of the last transmissions of these segments that they are lost.
void log_lost(PathLog& log, Rank to, const OutgoingMessage& message, std::span<const std::uint32_t> lost,
              Instant now);

/// Queues what makes up for lost segments: the segments themselves, coded ones, or copies.
class Repairs {
 public:
  explicit Repairs(EndpointState& state) : state_(state) {}

  /// Queues what makes up for the segments in `lost` (ascending), which a report that covers the segments `told`
  /// has found lost.
  void queue(Peer& to, OutgoingMessage& message, std::span<const std::uint32_t> lost,
             const LossDetection& detection, SegmentRange told, Instant now);
  /// Queues the segments in `lost` themselves, each as often as the planner says, but no more than `most` times.
  void queue_segments(Peer& to, OutgoingMessage& message, std::span<const std::uint32_t> lost, Instant now,
                      int most = max_copies);

 private:
  void queue_for_block(Peer& to, OutgoingMessage& message, std::uint32_t block,
                       std::span<const std::uint32_t> lost, bool whole, Instant now);

  EndpointState& state_;
};

}  // namespace lbsp::transport
