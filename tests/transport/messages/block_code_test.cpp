#include "transport/messages/block_code.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "transport/impairment/random.hpp"
#include "transport/messages/block_layout.hpp"

namespace lbsp::transport {
namespace {

TEST(BlockLayout, cuts_any_message_into_even_blocks_and_finds_them_again) {
  for (std::uint32_t segments = 1; segments <= 2000; ++segments) {
    const BlockLayout layout(segments);
    std::uint32_t next = 0;
    std::uint32_t smallest = segments;
    std::uint32_t largest = 0;
    for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
      ASSERT_EQ(layout.begin(block), next);
      for (std::uint32_t i = layout.begin(block); i < layout.end(block); ++i)
        ASSERT_EQ(layout.block_of(i), block) << segments << " segments, segment " << i;
      smallest = std::min(smallest, layout.size(block));
      largest = std::max(largest, layout.size(block));
      next = layout.end(block);
    }
    ASSERT_EQ(next, segments);
    ASSERT_LE(largest, static_cast<std::uint32_t>(most_block_segments));
    ASSERT_LE(largest - smallest, 1u);
  }
}

TEST(BlockLayout, holds_for_the_longest_messages) {
  const BlockLayout layout(UINT32_MAX);
  EXPECT_EQ(layout.end(layout.blocks() - 1), UINT32_MAX);
  EXPECT_EQ(layout.block_of(UINT32_MAX - 1), layout.blocks() - 1);
}

/// A block of random bytes whose last segment may be shorter.
class Block {
 public:
  Block(std::size_t count, std::size_t bytes, std::size_t last_bytes, Random& random) {
    for (std::size_t j = 0; j < count; ++j) {
      segments_.emplace_back(j + 1 < count ? bytes : last_bytes);
      for (std::byte& byte : segments_.back())
        byte = static_cast<std::byte>(random.below(256));
    }
  }

  CodedSegment coded(int index) const {
    const std::vector<std::span<const std::byte>> parts(segments_.begin(), segments_.end());
    CodedSegment coded{index, Bytes(segments_.front().size())};
    encode_segment(parts, index, coded.bytes);
    return coded;
  }

  /// Whether what is missing comes back from the coded segments of these numbers.
  bool comes_back(const std::vector<std::uint32_t>& missing, const std::vector<int>& indices) const {
    std::vector<Bytes> damaged = segments_;
    for (const std::uint32_t j : missing)
      std::fill(damaged[j].begin(), damaged[j].end(), std::byte{0xee});
    std::vector<CodedSegment> rows;
    rows.reserve(indices.size());
    for (const int index : indices)
      rows.push_back(coded(index));
    const std::vector<std::span<std::byte>> places(damaged.begin(), damaged.end());
    decode_segments(places, missing, rows);
    return damaged == segments_;
  }

 private:
  std::vector<Bytes> segments_;
};

std::vector<std::uint32_t> bits_of(unsigned mask) {
  std::vector<std::uint32_t> set;
  for (std::uint32_t j = 0; j < 16; ++j) {
    if ((mask >> j & 1u) != 0) set.push_back(j);
  }
  return set;
}

TEST(BlockCode, mends_every_loss_of_a_small_block) {
  Random random(1);
  for (const std::size_t count : {2u, 3u, 6u}) {
    for (const std::size_t last : {1u, 39u, 40u}) {
      const Block block(count, 40, last, random);
      for (unsigned lost = 1; lost < 1u << count; ++lost) {
        const auto missing = bits_of(lost);
        std::vector<int> indices(missing.size());
        std::iota(indices.begin(), indices.end(), static_cast<int>(random.below(128 - count)));
        EXPECT_TRUE(block.comes_back(missing, indices)) << count << " segments, lost " << lost;
      }
    }
  }
}

TEST(BlockCode, mends_any_loss_of_the_largest_blocks_by_any_coded_segments) {
  Random random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t count = trial % 2 == 0 ? 128 : 2 + random.below(126);
    const Block block(count, 1326, 1 + random.below(1326), random);
    std::vector<std::uint32_t> order(count);
    std::vector<int> rows(128);
    std::iota(order.begin(), order.end(), 0u);
    std::iota(rows.begin(), rows.end(), 0);
    for (std::size_t i = count; i > 1; --i)
      std::swap(order[i - 1], order[random.below(i)]);
    for (std::size_t i = rows.size(); i > 1; --i)
      std::swap(rows[i - 1], rows[random.below(i)]);
    const std::size_t lost = trial < 4 ? count : 1 + random.below(count);
    std::vector<std::uint32_t> missing(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(lost));
    std::ranges::sort(missing);
    rows.resize(lost);
    EXPECT_TRUE(block.comes_back(missing, rows)) << count << " segments, " << lost << " lost";
  }
}

TEST(BlockCode, leaves_coded_segments_aside_that_it_does_not_need) {
  Random random(4);
  const Block block(6, 40, 17, random);
  EXPECT_TRUE(block.comes_back({1, 4}, {0, 9, 77}));
  EXPECT_TRUE(block.comes_back({5}, {3, 4, 5, 6}));
}

TEST(BlockCode, of_a_message_of_two_segments_with_an_almost_empty_last) {
  Random random(3);
  const Block block(2, 1326, 1, random);
  EXPECT_TRUE(block.comes_back({0}, {5}));
  EXPECT_TRUE(block.comes_back({1}, {127}));
  EXPECT_TRUE(block.comes_back({0, 1}, {0, 90}));
}

}  // namespace
}  // namespace lbsp::transport
