#include "transport/core/outgoing_message.hpp"

#include <algorithm>

namespace lbsp::transport {

OutgoingMessage::OutgoingMessage(MessageId id, Bytes payload, std::size_t segment_bytes)
    : id_(id),
      payload_(std::move(payload)),
      total_bytes_(payload_.size()),
      segment_bytes_(static_cast<std::uint16_t>(segment_bytes)),
      segments_(segments_of(total_bytes_, segment_bytes)),
      unacknowledged_(static_cast<std::uint32_t>(segments_.size())) {}

std::span<const std::byte> OutgoingMessage::payload(std::uint32_t segment) const {
  const std::uint64_t begin = std::uint64_t{segment} * segment_bytes_;
  return std::span(payload_).subspan(begin, std::min<std::uint64_t>(segment_bytes_, total_bytes_ - begin));
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
  --unacknowledged_;
  while (first_unacknowledged_ < segment_count() && segments_[first_unacknowledged_].acknowledged) {
    ++first_unacknowledged_;
  }
}

void OutgoingMessage::acknowledge_all() {
  for (Segment& segment : segments_)
    segment.acknowledged = true;
  unacknowledged_ = 0;
  first_unacknowledged_ = segment_count();
  payload_ = {};
}

std::optional<std::uint32_t> OutgoingMessage::next_in_pass(int pass, std::uint32_t from) const {
  for (std::uint32_t i = std::max(from, first_unacknowledged_); i < segment_count(); ++i) {
    if (!segments_[i].acknowledged && segments_[i].transmissions <= pass) return i;
  }
  return std::nullopt;
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

}  // namespace lbsp::transport
