#include "transport/core/incoming_message.hpp"

#include <algorithm>
#include <cstring>

#include "transport/core/outgoing_message.hpp"

namespace lbsp::transport {
namespace {

/// Fewer segments than this come within the pacer's burst, and would tell its rate rather than the path's.
constexpr std::uint32_t least_segments_for_rate = 128;

}  // namespace

IncomingMessage::IncomingMessage(const SegmentHeader& first)
    : id_(first.message),
      total_bytes_(first.total_bytes),
      segment_bytes_(first.segment_bytes),
      segment_count_(static_cast<std::uint32_t>(segments_of(first.total_bytes, first.segment_bytes))),
      payload_(first.total_bytes),
      words_((segment_count_ + 63) / 64),
      missing_(segment_count_) {}

IncomingMessage::Accepted IncomingMessage::accept(const SegmentHeader& header,
                                                  std::span<const std::byte> segment, Instant now) {
  if (header.total_bytes != total_bytes_ || header.segment_bytes != segment_bytes_ ||
      header.segment >= segment_count_) {
    return Accepted::contradiction;
  }
  const std::uint64_t begin = std::uint64_t{header.segment} * segment_bytes_;
  if (segment.size() != std::min<std::uint64_t>(segment_bytes_, total_bytes_ - begin)) {
    return Accepted::contradiction;
  }
  if (has(header.segment)) return Accepted::duplicate;

  if (!segment.empty()) std::memcpy(payload_.data() + begin, segment.data(), segment.size());
  words_[header.segment / 64] |= std::uint64_t{1} << (header.segment % 64);
  if (missing_-- == segment_count_) first_arrival_ = now;
  last_arrival_ = now;
  seen_ = std::max(seen_, header.segment + 1);
  while (first_missing_ < segment_count_ && has(first_missing_))
    ++first_missing_;
  return Accepted::segment;
}

std::uint32_t IncomingMessage::describe(std::uint32_t from, std::span<std::byte> bitmap,
                                        StatusEntry& entry) const {
  const std::uint32_t bits =
      from >= seen_
          ? 0
          : static_cast<std::uint32_t>(std::min<std::size_t>({seen_ - from, bitmap.size() * 8, 0xffff}));
  const std::uint32_t end = from + bits;
  std::fill(bitmap.begin(), bitmap.begin() + (bits + 7) / 8, std::byte{0});
  for (std::uint32_t i = 0; i < bits; ++i) {
    if (has(from + i)) bitmap[i / 8] |= static_cast<std::byte>(1u << (i % 8));
  }
  entry.message = id_;
  entry.complete = complete();
  entry.rest_missing = !complete() && end >= seen_;
  entry.prefix_complete = from <= first_missing_;
  entry.first = from;
  entry.bits = static_cast<std::uint16_t>(bits);
  entry.bitmap = bitmap.first((bits + 7) / 8);
  return end >= seen_ ? segment_count_ : end;
}

bool IncomingMessage::first_in_round(std::uint32_t segment, std::uint16_t round) {
  last_round_.resize(segment_count_, 0);
  if (last_round_[segment] == round) return false;
  last_round_[segment] = round;
  return true;
}

BytesPerSecond IncomingMessage::arrival_rate() const {
  if (segment_count_ < least_segments_for_rate || last_arrival_ <= first_arrival_) return {0};
  const std::chrono::duration<double> seconds = last_arrival_ - first_arrival_;
  return {static_cast<double>(total_bytes_) / seconds.count()};
}

}  // namespace lbsp::transport
