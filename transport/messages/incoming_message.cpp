#include "transport/messages/incoming_message.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "transport/messages/outgoing_message.hpp"
#include "transport/messages/prefetch.hpp"

namespace lbsp::transport {
namespace {

/// Fewer segments than this come within the pacer's burst, and would tell its rate rather than the path's.
constexpr std::uint32_t least_segments_for_rate = 128;

}  // namespace

IncomingMessage::IncomingMessage(const SegmentHeader& first, Bytes payload)
    : id_(first.message),
      total_bytes_(first.total_bytes),
      segment_bytes_(first.segment_bytes),
      payload_(std::move(payload)),
      arrived_(static_cast<std::uint32_t>(segments_of(first.total_bytes, first.segment_bytes))),
      layout_(segment_count()) {}

void IncomingMessage::restart(std::uint16_t segment_bytes) {
  segment_bytes_ = segment_bytes;
  arrived_ = ArrivedSegments(static_cast<std::uint32_t>(segments_of(total_bytes_, segment_bytes)));
  layout_ = BlockLayout(segment_count());
  held_.clear();
}

std::size_t IncomingMessage::length_of(std::uint32_t segment) const {
  return std::min<std::uint64_t>(segment_bytes_, total_bytes_ - std::uint64_t{segment} * segment_bytes_);
}

std::span<std::byte> IncomingMessage::place_of(std::uint32_t segment) {
  return std::span(payload_).subspan(std::uint64_t{segment} * segment_bytes_, length_of(segment));
}

void IncomingMessage::mark(std::uint32_t segment, Instant now) {
  if (arrived_.count() == 0) first_arrival_ = now;
  last_arrival_ = now;
  arrived_.add(segment);
}

IncomingMessage::Accepted IncomingMessage::accept(const SegmentHeader& header,
                                                  std::span<const std::byte> segment, Instant now) {
  if (!fits(header) || header.segment >= segment_count()) return Accepted::contradiction;
  if (segment.size() != length_of(header.segment)) return Accepted::contradiction;
  if (arrived_.has(header.segment)) return Accepted::duplicate;

  if (!segment.empty()) std::memcpy(place_of(header.segment).data(), segment.data(), segment.size());
  if (header.segment + 1 < segment_count())
    prefetch(place_of(header.segment + 1));  // what comes next, mostly
  mark(header.segment, now);
  if (!held_.empty()) decode_if_enough(layout_.block_of(header.segment), now);
  return Accepted::segment;
}

IncomingMessage::Accepted IncomingMessage::accept_coded(const SegmentHeader& header,
                                                        std::span<const std::byte> coded, Instant now) {
  const std::uint32_t block = header.segment;
  if (!fits(header) || segment_count() < 2 || block >= layout_.blocks() ||
      header.round >= most_repair_segments || coded.size() != segment_bytes_) {
    return Accepted::contradiction;
  }
  if (missing_in(block) == 0) return Accepted::duplicate;
  HeldBlock& held = held_block(block);
  const int index = header.round;
  if (std::ranges::find(held.coded, index, &CodedSegment::index) != held.coded.end()) {
    return Accepted::duplicate;
  }
  held.coded.push_back({index, Bytes(coded.begin(), coded.end())});
  decode_if_enough(block, now);
  return Accepted::segment;
}

IncomingMessage::HeldBlock& IncomingMessage::held_block(std::uint32_t block) {
  const auto found = std::ranges::find(held_, block, &HeldBlock::block);
  return found != held_.end() ? *found : held_.emplace_back(HeldBlock{block, {}});
}

void IncomingMessage::decode_if_enough(std::uint32_t block, Instant now) {
  const auto held = std::ranges::find(held_, block, &HeldBlock::block);
  if (held == held_.end() || missing_in(block) > held->coded.size()) return;
  const std::uint32_t begin = layout_.begin(block);
  std::array<std::span<std::byte>, most_block_segments> segments;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t i = 0; i < layout_.size(block); ++i) {
    segments[i] = place_of(begin + i);
    if (!arrived_.has(begin + i)) missing.push_back(i);
  }
  if (!missing.empty()) {
    decode_segments(std::span(segments).first(layout_.size(block)), missing, held->coded);
  }
  for (const std::uint32_t i : missing)
    mark(begin + i, now);
  held_.erase(held);
}

std::uint32_t IncomingMessage::describe(std::uint32_t from, std::span<std::byte> bitmap,
                                        StatusEntry& entry) const {
  const auto bits = static_cast<std::uint32_t>(
      std::min<std::size_t>({std::max(arrived_.end(), from) - from, bitmap.size() * 8, 0xffff}));
  const std::uint32_t end = from + bits;
  arrived_.write(from, bits, bitmap);
  entry.message = id_;
  entry.segment_bytes = segment_bytes_;
  entry.complete = complete();
  entry.rest_missing = !complete() && end >= arrived_.end();
  entry.prefix_complete = from <= arrived_.first_missing();
  entry.first = from;
  entry.bits = static_cast<std::uint16_t>(bits);
  entry.bitmap = bitmap.first((bits + 7) / 8);
  return end >= arrived_.end() ? segment_count() : end;
}

bool IncomingMessage::first_in_round(std::uint32_t segment, std::uint16_t round) {
  last_round_.resize(segment_count(), 0);
  if (last_round_[segment] == round) return false;
  last_round_[segment] = round;
  return true;
}

BytesPerSecond IncomingMessage::arrival_rate() const {
  if (segment_count() < least_segments_for_rate || last_arrival_ <= first_arrival_) return {0};
  const std::chrono::duration<double> seconds = last_arrival_ - first_arrival_;
  return {static_cast<double>(total_bytes_) / seconds.count()};
}

}  // namespace lbsp::transport
