#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lbsp::transport {

/// Which segments of a message have arrived.
class ArrivedSegments {
 public:
  /// None of so many has.
  explicit ArrivedSegments(std::uint32_t segments)
      : words_((segments + 63) / 64), segments_(segments), missing_(segments) {}

  bool has(std::uint32_t segment) const { return (words_[segment / 64] >> (segment % 64) & 1u) != 0; }
  /// It arrives, and had not before.
  void add(std::uint32_t segment) {
    words_[segment / 64] |= std::uint64_t{1} << (segment % 64);
    --missing_;
    end_ = std::max(end_, segment + 1);
    while (first_missing_ < segments_ && has(first_missing_))
      ++first_missing_;
  }

  /// Of the whole message.
  std::uint32_t segments() const { return segments_; }
  std::uint32_t count() const { return segments_ - missing_; }
  std::uint32_t missing() const { return missing_; }
  /// Of those from `begin` on and before `end`.
  std::uint32_t missing_in(std::uint32_t begin, std::uint32_t end) const {
    std::uint32_t missing = 0;
    for (std::uint32_t segment = begin; segment < end; ++segment)
      missing += has(segment) ? 0u : 1u;
    return missing;
  }
  /// Those before this one have all arrived …
  std::uint32_t first_missing() const { return first_missing_; }
  /// … and none from this one on has.
  std::uint32_t end() const { return end_; }
  /// Whether all has arrived up to the highest segment that has.
  bool in_order() const { return first_missing_ == end_; }

  /// Writes which of so many from `from` on have arrived: bit i of the bitmap, from the lowest of its first byte on, is
  /// of segment from + i. The rest of its last byte is 0.
  void write(std::uint32_t from, std::uint32_t count, std::span<std::byte> bitmap) const {
    std::fill(bitmap.begin(), bitmap.begin() + (count + 7) / 8, std::byte{0});
    for (std::uint32_t i = 0; i < count; ++i) {
      if (has(from + i)) bitmap[i / 8] |= static_cast<std::byte>(1u << (i % 8));
    }
  }

 private:
  std::vector<std::uint64_t> words_;  ///< bit i: segment i has arrived
  std::uint32_t segments_;
  std::uint32_t missing_;
  std::uint32_t first_missing_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace lbsp::transport
