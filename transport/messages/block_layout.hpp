#pragma once

#include <cstdint>

#include "transport/redundancy.hpp"

namespace lbsp::transport {

/// Divides the segments of a message into blocks for coding: as few as possible, with at most
/// `most_block_segments` each, and as equal as possible. Both sides compute it from the number of segments.
class BlockLayout {
 public:
  explicit constexpr BlockLayout(std::uint32_t segments)
      : segments_(segments), blocks_((segments - 1) / most_block_segments + 1) {}

  constexpr std::uint32_t blocks() const { return blocks_; }
  constexpr std::uint32_t begin(std::uint32_t block) const {
    return static_cast<std::uint32_t>(std::uint64_t{block} * segments_ / blocks_);
  }
  constexpr std::uint32_t end(std::uint32_t block) const { return begin(block + 1); }
  constexpr std::uint32_t size(std::uint32_t block) const { return end(block) - begin(block); }
  constexpr std::uint32_t block_of(std::uint32_t segment) const {
    // The inverse of begin(), rounding included.
    return static_cast<std::uint32_t>(((std::uint64_t{segment} + 1) * blocks_ - 1) / segments_);
  }

 private:
  std::uint32_t segments_;
  std::uint32_t blocks_;
};

}  // namespace lbsp::transport
