#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/messages/outgoing_blocks.hpp"
#include "transport/redundancy.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"
#include "transport/wire/message_id.hpp"

namespace lbsp::transport {

/// How many segments a message of `total_bytes` has; an empty one has one, empty, segment.
constexpr std::uint64_t segments_of(std::uint64_t total_bytes, std::uint64_t segment_bytes) {
  return total_bytes == 0 ? 1 : (total_bytes - 1) / segment_bytes + 1;
}

/// One message on its way to one peer: its bytes, and for every segment what was sent and what is known to
/// have arrived. The recovery decides which segment is sent again, and when.
class OutgoingMessage {
 public:
  struct Segment {
    std::uint64_t last_packet = 0;    ///< packet number of its last transmission
    Instant last_sent{};              ///< and when that was
    std::uint16_t transmissions = 0;  ///< in this round, for round recovery
    std::uint8_t repairs = 0;         ///< how often it was found lost (saturating)
    bool repair_queued = false;
    bool acknowledged = false;
    bool ever_acknowledged = false;  ///< in this round or an earlier one
  };

  /// `in_rounds`: its segments tell the paper's round.
  OutgoingMessage(MessageId id, Bytes payload, std::size_t segment_bytes, bool in_rounds = false);

  /// Sets how it is protected. To be called once, before anything is sent.
  void set_plan(const MessagePlan& plan);
  const MessagePlan& plan() const { return plan_; }

  MessageId id() const { return id_; }
  std::uint64_t total_bytes() const { return total_bytes_; }
  std::uint16_t segment_bytes() const { return segment_bytes_; }
  std::uint32_t segment_count() const { return static_cast<std::uint32_t>(segments_.size()); }
  std::span<const std::byte> payload(std::uint32_t segment) const;

  const Segment& segment(std::uint32_t index) const { return segments_[index]; }
  Segment& segment(std::uint32_t index) { return segments_[index]; }

  /// Begins again in segments of this length, as if nothing had been sent.
  void cut_anew(std::size_t segment_bytes);
  /// The length of the longest datagram that one of its segments goes in.
  std::size_t longest_datagram() const { return datagram_bytes(0); }
  /// … of those segments that were acknowledged since the last call; none if nothing was.
  std::optional<std::size_t> take_longest_acknowledged() {
    return std::exchange(longest_acknowledged_, std::nullopt);
  }

  /// Notes a transmission that is going out.
  void sent(std::uint32_t segment, std::uint64_t packet_number, Instant now);

  void acknowledge(std::uint32_t segment);
  /// Everything has arrived. The bytes are freed.
  void acknowledge_all();
  /// To be called when it is about to go.
  Bytes take_payload() { return std::move(payload_); }
  bool acknowledged() const { return unacknowledged_ == 0; }
  std::uint32_t unacknowledged() const { return unacknowledged_; }
  /// Round recovery: segments that no round has brought to the peer.
  std::uint32_t never_acknowledged() const { return never_acknowledged_; }

  /// The first segment from `from` on that pass number `pass` (0: first copies) still has to send: not
  /// acknowledged, and not sent more often than the passes before it did (a repair takes the place of a
  /// copy).
  std::optional<std::uint32_t> next_in_pass(int pass, std::uint32_t from) const {
    for (std::uint32_t i = std::max(from, first_unacknowledged_); i < segment_count(); ++i) {
      if (!segments_[i].acknowledged && segments_[i].transmissions <= pass) return i;
    }
    return std::nullopt;
  }

  /// Segments below this one are all acknowledged.
  std::uint32_t first_unacknowledged() const { return first_unacknowledged_; }
  /// Segments from here on have never been sent.
  std::uint32_t first_never_sent() const { return first_never_sent_; }

  /// What was sent for each block; there are blocks only if the plan is coded.
  OutgoingBlocks& blocks() { return blocks_; }

  /// Round recovery: forgets how often segments were sent, and with `everything` also what was acknowledged.
  void begin_round(bool everything);

 private:
  std::size_t datagram_bytes(std::uint32_t segment) const;

  MessageId id_;
  Bytes payload_;
  std::uint64_t total_bytes_;
  std::uint16_t segment_bytes_;
  bool in_rounds_;
  std::vector<Segment> segments_;
  std::uint32_t unacknowledged_;
  std::uint32_t never_acknowledged_;
  std::uint32_t first_unacknowledged_ = 0;
  std::uint32_t first_never_sent_ = 0;
  std::optional<std::size_t> longest_acknowledged_;
  MessagePlan plan_;
  OutgoingBlocks blocks_;
};

/// Whether all of the block has arrived.
bool block_acknowledged(const OutgoingMessage& message, std::uint32_t block);
/// Writes the block's next coded segment, which has segment_bytes(); returns its number. The message must be
/// coded.
int encode_next(OutgoingMessage& message, std::uint32_t block, std::span<std::byte> coded);

}  // namespace lbsp::transport
