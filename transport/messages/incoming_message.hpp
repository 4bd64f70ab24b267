#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/messages/arrived_segments.hpp"
#include "transport/messages/block_code.hpp"
#include "transport/messages/block_layout.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// One message that is arriving. Segments are put in their places as they come, in any order. The first one,
/// whichever it is, tells the length of the whole.
class IncomingMessage {
 public:
  enum class Accepted { segment, duplicate, contradiction };

  /// Allocates the message; throws std::bad_alloc if there is not that much memory. The caller has checked
  /// the length against its ceiling.
  explicit IncomingMessage(const SegmentHeader& first) : IncomingMessage(first, Bytes(first.total_bytes)) {}
  /// With memory of that length.
  IncomingMessage(const SegmentHeader& first, Bytes payload);

  /// The sender has cut the message into shorter segments: what came in longer ones is forgotten.
  void restart(std::uint16_t segment_bytes);

  /// `contradiction`: the header does not fit the message, or the segment has the wrong length.
  Accepted accept(const SegmentHeader& header, std::span<const std::byte> segment, Instant now);
  /// The same for a coded segment. As soon as a block of m segments has m of both kinds, the missing ones are
  /// decoded.
  Accepted accept_coded(const SegmentHeader& header, std::span<const std::byte> coded, Instant now);

  MessageId id() const { return id_; }
  std::uint64_t total_bytes() const { return total_bytes_; }
  bool complete() const { return arrived_.missing() == 0; }
  Bytes take_payload() { return std::move(payload_); }

  /// Makes an entry for a report of what has arrived from segment `from` on, with its bitmap in `bitmap`. Returns
  /// the segment at which the next entry must go on; segment_count() if this was the last.
  std::uint32_t describe(std::uint32_t from, std::span<std::byte> bitmap, StatusEntry& entry) const;
  const ArrivedSegments& arrived() const { return arrived_; }
  std::uint32_t segment_count() const { return arrived_.segments(); }
  std::uint16_t segment_bytes() const { return segment_bytes_; }
  /// Bytes in segments that have arrived; the last one counts as a full one until it has.
  std::uint64_t arrived_bytes() const {
    return total_bytes_ - std::min(total_bytes_, std::uint64_t{arrived_.missing()} * segment_bytes_);
  }

  /// The incomplete blocks of which coded segments have arrived; a report tells how many.
  struct HeldBlock {
    std::uint32_t block = 0;
    std::vector<CodedSegment> coded;
  };
  const std::vector<HeldBlock>& held() const { return held_; }

  /// Round recovery: whether `segment` is acknowledged for the first time in `round`; notes that it was.
  bool first_in_round(std::uint32_t segment, std::uint16_t round);

  /// From the first segment that arrived to the last one until now.
  Duration arriving() const { return last_arrival_ - first_arrival_; }
  /// The rate at which it arrived; 0 if it was too short to tell.
  BytesPerSecond arrival_rate() const;

 private:
  void mark(std::uint32_t segment, Instant now);
  std::size_t length_of(std::uint32_t segment) const;
  std::span<std::byte> place_of(std::uint32_t segment);
  bool fits(const SegmentHeader& header) const {
    return header.total_bytes == total_bytes_ && header.segment_bytes == segment_bytes_;
  }
  std::uint32_t missing_in(std::uint32_t block) const {
    return arrived_.missing_in(layout_.begin(block), layout_.end(block));
  }
  HeldBlock& held_block(std::uint32_t block);
  void decode_if_enough(std::uint32_t block, Instant now);

  MessageId id_;
  std::uint64_t total_bytes_;
  std::uint16_t segment_bytes_;
  Bytes payload_;
  ArrivedSegments arrived_;
  BlockLayout layout_;
  std::vector<HeldBlock> held_;
  std::vector<std::uint16_t> last_round_;
  Instant first_arrival_{};
  Instant last_arrival_{};
};

}  // namespace lbsp::transport
