#include "algorithms/bitonic_sort.hpp"

#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "algorithms/sort_verification.hpp"
#include "lbsp/collectives/gather.hpp"
#include "lbsp/partition.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::HasSubstr;

constexpr Rank rank_counts[] = {1, 2, 4, 8};
constexpr std::size_t sizes[] = {0, 1, 2, 3, 7, 100, 2049};  // every other one is sorted downwards

/// Few values, so that many are equal, or any.
template <class K>
std::vector<K> random_keys(std::size_t count, bool few) {
  std::mt19937_64 random(count + 1);
  std::vector<K> keys(count);
  for (K& key : keys) {
    const std::uint64_t bits = few ? random() % 5 : random();
    if constexpr (std::floating_point<K>) {
      key = static_cast<K>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), -40));
    } else {
      key = static_cast<K>(bits);
    }
  }
  return keys;
}

template <class K>
std::vector<K> part(const std::vector<K>& keys, const World& world) {
  const Range own = part_of(keys.size(), world.size(), world.rank());
  const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(own.begin);
  return {begin, begin + static_cast<std::ptrdiff_t>(own.count)};
}

template <class K>
std::string bits_of(const std::vector<K>& keys) {
  return {reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(K)};
}

class BitonicSort : public test::OverBackends {
 protected:
  template <class K>
  void expect_what_std_sort_makes(bool few) const {
    for (const Rank ranks : rank_counts) {
      run_ranks(ranks, [&](World& world) {
        SortOrder order = SortOrder::descending;
        for (const std::size_t size : sizes) {
          const auto keys = random_keys<K>(size, few);
          order = order == SortOrder::ascending ? SortOrder::descending : SortOrder::ascending;
          auto expected = keys;
          std::ranges::sort(expected);
          if (order == SortOrder::descending) std::ranges::reverse(expected);
          const auto own = bitonic_sort(world, part(keys, world), order);
          const SortCheck check = check_sorted<K>(world, own, order);
          ASSERT_TRUE(check.sorted);
          ASSERT_EQ(check.sum, sum_of<K>(keys));
          const auto sorted = gather(world, own);
          if (world.rank() == 0) {
            ASSERT_EQ(sorted, expected) << size << " on " << ranks;
          }
        }
      });
    }
  }
};

TEST_P(BitonicSort, makes_what_std_sort_makes_of_any_number_of_keys) {
  expect_what_std_sort_makes<double>(false);
  expect_what_std_sort_makes<std::int32_t>(false);
}

TEST_P(BitonicSort, makes_what_std_sort_makes_where_most_keys_are_equal) {
  expect_what_std_sort_makes<float>(true);
  expect_what_std_sort_makes<std::uint64_t>(true);
}

TEST_P(BitonicSort, sorts_keys_of_any_integer_type) {
  expect_what_std_sort_makes<std::int64_t>(false);
  expect_what_std_sort_makes<std::uint8_t>(false);
}

TEST_P(BitonicSort, leaves_blocks_of_n_over_p_rounded_up_wherever_the_keys_were) {
  for (const Rank owner : {0, 3}) {
    run_ranks(4, [&](World& world) {
      std::vector<int> own;
      if (world.rank() == owner) own = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
      own = bitonic_sort(world, std::move(own));
      const std::vector<std::vector<int>> expected{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9}};
      EXPECT_EQ(own, expected[static_cast<std::size_t>(world.rank())]);
      EXPECT_EQ(world.history().supersteps(), 1U + 1 + 3);  // counts, evening out, steps
    });
  }
}

TEST_P(BitonicSort, puts_nan_last_and_minus_zero_before_zero_with_the_same_bits_on_any_number_of_ranks) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double other_nan = std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | 7);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> keys{nan, 0.0, -nan, 3, -0.0, other_nan, -infinity, 0.0, infinity, -0.0, nan};
  const std::vector<double> up{-infinity, -0.0, -0.0, 0.0, 0.0, 3, infinity, nan, nan, other_nan, -nan};
  const std::vector<double> down{infinity, 3, 0.0, 0.0, -0.0, -0.0, -infinity, nan, nan, other_nan, -nan};
  for (const Rank ranks : rank_counts) {
    run_ranks(ranks, [&](World& world) {
      for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
        const auto own = bitonic_sort(world, part(keys, world), order);
        EXPECT_TRUE(check_sorted<double>(world, own, order).sorted);
        const auto sorted = gather(world, own);
        if (world.rank() == 0) {
          EXPECT_EQ(bits_of(sorted), bits_of(order == SortOrder::ascending ? up : down));
        }
      }
    });
  }
}

struct Person {
  int age;
  char name[20];
};

TEST_P(BitonicSort, sorts_records_by_what_a_projection_makes_of_them) {
  run_ranks(4, [](World& world) {
    std::vector<Person> own(5);
    for (int i = 0; i < 5; ++i) {
      Person& person = own[static_cast<std::size_t>(i)];
      person.age = (i * 7 + world.rank() * 3) % 11;
      std::snprintf(person.name, sizeof person.name, "%d of %d", i, world.rank());
    }
    const auto people = gather(world, bitonic_sort(world, own, std::greater{}, &Person::age));
    auto names = std::vector<std::string>();
    for (const Person& person : people)
      names.emplace_back(person.name);
    if (world.rank() != 0) return;
    EXPECT_EQ(people.size(), 20U);
    EXPECT_TRUE(std::ranges::is_sorted(people, std::greater{}, &Person::age));
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());  // nobody twice, so nobody lost
  });
}

TEST_P(BitonicSort, is_refused_on_a_number_of_ranks_that_is_no_power_of_two) {
  for (const auto& outcome : run_failing_ranks(3, [](World& world) {
         bitonic_sort(world, std::vector{1, 2});
       })) {
    EXPECT_THAT(test::text_of<UsageError>(outcome), HasSubstr("on 3 ranks: start 2 or 4"));
  }
}

TEST_P(BitonicSort, is_seen_not_to_be_done_by_the_check) {
  run_ranks(4, [](World& world) {
    const std::vector<int> falling(3, -world.rank());
    EXPECT_FALSE(check_sorted<int>(world, falling, SortOrder::ascending).sorted);
    EXPECT_TRUE(check_sorted<int>(world, falling, SortOrder::descending).sorted);
    const std::vector<int> unsorted{world.rank(), world.rank() == 2 ? 1 : world.rank()};
    EXPECT_FALSE(check_sorted<int>(world, unsorted, SortOrder::ascending).sorted);
    const auto sum = check_sorted<int>(world, unsorted, SortOrder::ascending).sum;
    EXPECT_EQ(sum, sum_of<int>(std::vector{1, 0, 3, 1, 2, 3, 0, 1}));  // in another order
    EXPECT_NE(sum, sum_of<int>(std::vector{1, 0, 3, 1, 2, 3, 0, 0}));
  });
}

LBSP_OVER_ALL_BACKENDS(BitonicSort);

}  // namespace
}  // namespace lbsp::algorithms
