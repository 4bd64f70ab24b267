#include "transport/messages/outgoing_message.hpp"

#include <algorithm>
#include <array>

#include "transport/messages/block_code.hpp"

namespace lbsp::transport {

OutgoingMessage::OutgoingMessage(MessageId id, Bytes payload, std::size_t segment_bytes, bool in_rounds)
    : id_(id),
      payload_(std::move(payload)),
      total_bytes_(payload_.size()),
      segment_bytes_(static_cast<std::uint16_t>(segment_bytes)),
      in_rounds_(in_rounds),
      segments_(segments_of(total_bytes_, segment_bytes)),
      unacknowledged_(static_cast<std::uint32_t>(segments_.size())),
      never_acknowledged_(unacknowledged_),
      blocks_(segment_count()) {}

void OutgoingMessage::set_plan(const MessagePlan& plan) {
  plan_ = plan;
  plan_.coded = plan.coded && segment_count() > 1;
  if (plan_.coded) blocks_.plan(plan);
}

void OutgoingMessage::cut_anew(std::size_t segment_bytes) {
  MessagePlan plan = plan_;
  const std::uint64_t unprotected = std::uint64_t{plan.first_protected} * segment_bytes_ / segment_bytes;
  plan.first_protected = static_cast<std::uint32_t>(std::min<std::uint64_t>(unprotected, UINT32_MAX));
  segment_bytes_ = static_cast<std::uint16_t>(segment_bytes);
  segments_.assign(segments_of(total_bytes_, segment_bytes), {});
  unacknowledged_ = never_acknowledged_ = segment_count();
  first_unacknowledged_ = first_never_sent_ = 0;
  longest_acknowledged_.reset();
  blocks_ = OutgoingBlocks(segment_count());
  set_plan(plan);
}

std::span<const std::byte> OutgoingMessage::payload(std::uint32_t segment) const {
  const std::uint64_t begin = std::uint64_t{segment} * segment_bytes_;
  return std::span(payload_).subspan(begin, std::min<std::uint64_t>(segment_bytes_, total_bytes_ - begin));
}

std::size_t OutgoingMessage::datagram_bytes(std::uint32_t segment) const {
  const std::uint64_t rest = total_bytes_ - std::uint64_t{segment} * segment_bytes_;
  const std::size_t bytes = std::min<std::uint64_t>(segment_bytes_, rest);
  const std::size_t shorter_by = segment_bytes_ - bytes;
  const std::size_t length = shorter_by > 0 ? varint_bytes(shorter_by) : 0;
  return bytes + length + data_overhead(total_bytes_, in_rounds_);
}

void OutgoingMessage::sent(std::uint32_t segment, std::uint64_t packet_number, Instant now) {
  Segment& state = segments_[segment];
  state.last_packet = packet_number;
  state.last_sent = now;
  if (state.transmissions < UINT16_MAX) ++state.transmissions;
  first_never_sent_ = std::max(first_never_sent_, segment + 1);
}

void OutgoingMessage::acknowledge(std::uint32_t segment) {
  if (segments_[segment].acknowledged) return;
  segments_[segment].acknowledged = true;
  longest_acknowledged_ = std::max(longest_acknowledged_.value_or(0), datagram_bytes(segment));
  --unacknowledged_;
  if (!segments_[segment].ever_acknowledged) --never_acknowledged_;
  segments_[segment].ever_acknowledged = true;
  while (first_unacknowledged_ < segment_count() && segments_[first_unacknowledged_].acknowledged) {
    ++first_unacknowledged_;
  }
}

void OutgoingMessage::acknowledge_all() {
  for (Segment& segment : segments_)
    segment.acknowledged = true;
  if (unacknowledged_ > 0) longest_acknowledged_ = longest_datagram();
  unacknowledged_ = 0;
  first_unacknowledged_ = segment_count();
  payload_ = {};
}

void OutgoingMessage::begin_round(bool everything) {
  for (Segment& segment : segments_) {
    segment.transmissions = 0;
    if (everything) segment.acknowledged = false;
  }
  if (everything) {
    unacknowledged_ = segment_count();
    first_unacknowledged_ = 0;
  }
}

bool block_acknowledged(const OutgoingMessage& message, std::uint32_t block) {
  const BlockLayout layout(message.segment_count());
  const std::uint32_t from = std::max(message.first_unacknowledged(), layout.begin(block));
  for (std::uint32_t i = from; i < layout.end(block); ++i) {
    if (!message.segment(i).acknowledged) return false;
  }
  return true;
}

int encode_next(OutgoingMessage& message, std::uint32_t block, std::span<std::byte> coded) {
  const BlockLayout& layout = message.blocks().layout();
  std::array<std::span<const std::byte>, most_block_segments> segments;
  for (std::uint32_t i = 0; i < layout.size(block); ++i)
    segments[i] = message.payload(layout.begin(block) + i);
  const int index = message.blocks()[block].next_coded++;
  encode_segment(std::span(segments).first(layout.size(block)), index, coded);
  return index;
}

}  // namespace lbsp::transport
