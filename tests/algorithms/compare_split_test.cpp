#include "algorithms/compare_split.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

namespace lbsp::algorithms {
namespace {

/// A key, and whose it was.
using Element = std::pair<int, int>;

const auto by_key = [](const Element& a, const Element& b) { return a.first < b.first; };

std::vector<Element> random_block(std::mt19937& random, std::size_t size, int owner) {
  std::vector<Element> block;
  for (std::size_t i = 0; i < size; ++i)
    block.emplace_back(std::uniform_int_distribution(0, 9)(random), owner);
  std::ranges::sort(block, by_key);
  return block;
}

TEST(CompareSplit, halves_what_a_stable_merge_makes_for_all_sizes_and_many_equal_keys) {
  std::mt19937 random(3);
  for (std::size_t n = 0; n < 9; ++n) {
    for (std::size_t m = 0; m < 9; ++m) {
      for (std::size_t count = 0; count <= n + m; ++count) {
        const auto first = random_block(random, n, 1);
        const auto last = random_block(random, m, 2);
        std::vector<Element> merged(n + m);
        std::merge(first.begin(), first.end(), last.begin(), last.end(), merged.begin(), by_key);
        std::vector<Element> kept;
        keep_first<Element>(first, last, count, kept, by_key);
        const auto cut = merged.begin() + static_cast<std::ptrdiff_t>(count);
        ASSERT_EQ(kept, std::vector(merged.begin(), cut)) << n << ", " << m << ", " << count;
        keep_last<Element>(last, first, n + m - count, kept, by_key);
        ASSERT_EQ(kept, std::vector(cut, merged.end())) << n << ", " << m << ", " << count;
      }
    }
  }
}

TEST(CompareSplit, leaves_blocks_that_are_in_order_without_comparing_their_insides) {
  std::vector<int> first(1000, 1);
  std::vector<int> last(1000, 2);
  std::size_t comparisons = 0;
  const auto counted = [&](int a, int b) { return ++comparisons, a < b; };
  std::vector<int> kept;
  keep_first<int>(first, last, 1000, kept, counted);
  EXPECT_EQ(kept, first);
  keep_last<int>(last, first, 1000, kept, counted);
  EXPECT_EQ(kept, last);
  EXPECT_EQ(comparisons, 2U);
}

}  // namespace
}  // namespace lbsp::algorithms
