#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/messages/outgoing_message.hpp"
#include "transport/paths/path_estimate.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// The segments `from` … `to`-1 of a message.
struct SegmentRange {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The segments of which an entry of a report says whether they have arrived.
SegmentRange told_of(const StatusEntry& entry, const OutgoingMessage& message);

/// Applies a receiver's report to a message: acknowledges what has arrived, and finds what is lost.
///
/// A segment that the report does not have is lost, and not merely late, if its last transmission
///  - is three or more packet numbers older than the newest that arrived (kPacketThreshold of RFC 9002), or
///  - is older than the newest, and the receiver has waited for the reordering window since, or
///  - went out more than 9/8 round trips ago (kTimeThreshold of RFC 9002).
/// Where datagrams have overtaken each other lately, numbers tell nothing, and the receiver says how late they may be
/// (RFC 8985): a transmission is lost when it is older than the newest that arrived, and so much time has passed
/// since it would have arrived as soon; or when it went out a round trip and that time ago.
/// A repair is a transmission with a packet number of its own, so no segment is found lost again before a
/// report could tell of its repair.
class LossDetection {
 public:
  /// `newest`: the newest datagram that has arrived, if it is known when it was sent. `reports_reordering`: how
  /// late the report itself may be.
  LossDetection(const StatusHeader& report, const PathEstimate& path,
                const std::optional<PathEstimate::Sent>& newest, Duration reports_reordering, Instant now);

  /// Applies an entry of the report; appends the segments found lost, ascending.
  void apply(const StatusEntry& entry, OutgoingMessage& message, std::vector<std::uint32_t>& lost) const;
  /// Whether a transmission has arrived or is lost for certain, so that no later report can tell more of it.
  bool settled(std::uint64_t packet_number, Instant sent) const {
    return (packet_number < echoed_packets_ && (!reorders_ || sent <= overtaken_before_)) ||
           sent <= sent_before_;
  }
  /// Applies a report in which the message has no entry: nothing of it has arrived.
  void apply_absence(OutgoingMessage& message, std::vector<std::uint32_t>& lost) const;

 private:
  bool is_lost(const OutgoingMessage::Segment& segment) const;
  void find_lost(const OutgoingMessage& message, std::uint32_t from, std::uint32_t to,
                 std::vector<std::uint32_t>& lost) const;

  std::uint64_t echoed_packets_;
  bool reorders_;             ///< datagrams have overtaken each other lately
  Instant overtaken_before_;  ///< what was sent until then and is older than the newest that arrived is lost
  Instant sent_before_;
};

}  // namespace lbsp::transport
