#include "algorithms/bitonic_schedule.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::vector<BitonicStep>> schedules(Rank ranks) {
  std::vector<std::vector<BitonicStep>> all;
  for (Rank rank = 0; rank < ranks; ++rank)
    all.push_back(bitonic_schedule(rank, ranks));
  return all;
}

TEST(BitonicSchedule, pairs_all_ranks_in_every_step_and_one_of_a_pair_keeps_the_first) {
  for (const Rank ranks : {1, 2, 4, 8, 64}) {
    const auto all = schedules(ranks);
    std::size_t levels = 0;
    while (1 << levels < ranks)
      ++levels;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      ASSERT_EQ(all[rank].size(), levels * (levels + 1) / 2);
      for (std::size_t step = 0; step < all[rank].size(); ++step) {
        const auto partner = static_cast<std::size_t>(all[rank][step].partner);
        EXPECT_EQ(all[partner][step].partner, static_cast<Rank>(rank));
        EXPECT_NE(all[partner][step].keeps_first, all[rank][step].keeps_first);
      }
    }
  }
}

/// The zero-one principle: a network that sorts all sequences of zeros and ones sorts everything.
TEST(BitonicSchedule, sorts_every_sequence_of_zeros_and_ones) {
  for (const Rank ranks : {2, 4, 8, 16}) {
    const auto all = schedules(ranks);
    for (unsigned bits = 0; bits < 1U << ranks; ++bits) {
      std::vector<int> keys;
      for (Rank rank = 0; rank < ranks; ++rank)
        keys.push_back(static_cast<int>(bits >> rank & 1U));
      for (std::size_t step = 0; step < all[0].size(); ++step) {
        const std::vector<int> before = keys;
        for (std::size_t rank = 0; rank < keys.size(); ++rank) {
          const int other = before[static_cast<std::size_t>(all[rank][step].partner)];
          keys[rank] =
              all[rank][step].keeps_first ? std::min(before[rank], other) : std::max(before[rank], other);
        }
      }
      ASSERT_TRUE(std::ranges::is_sorted(keys)) << bits << " on " << ranks;
    }
  }
}

TEST(BitonicSchedule, is_only_for_powers_of_two) {
  EXPECT_THAT([] { bitonic_schedule(0, 3); }, ThrowsMessage<UsageError>(HasSubstr("3 ranks: start 2 or 4")));
  EXPECT_THAT([] { bitonic_schedule(0, 9); }, ThrowsMessage<UsageError>(HasSubstr("9 ranks: start 8 or 16")));
}

}  // namespace
}  // namespace lbsp::algorithms
