#include "lbsp/dataflow/ticks.hpp"

#include <gtest/gtest.h>

namespace lbsp::dataflow {
namespace {

TEST(DataflowTicks, a_rate_times_units_is_exact_where_doubles_are_not) {
  EXPECT_EQ(scaled(3'000'000, 7), 21);
  EXPECT_EQ(scaled(1'000'001, 999'999), 999'999);  // 999999.999999, rounded down
  EXPECT_EQ(scaled(80'000'000, 1'000'000'000'001), 80'000'000'000'080);
}

TEST(DataflowTicks, what_is_too_long_is_the_longest_time_and_never_negative) {
  EXPECT_EQ(scaled(std::numeric_limits<Ticks>::max(), std::numeric_limits<std::uint64_t>::max()),
            longest_ticks);
  EXPECT_EQ(scaled(-5, 1'000'000), 0);
  EXPECT_GT(per_million(longest_ticks, 0), 0);
  EXPECT_EQ(scaled(per_million(longest_ticks, 0), 1'000'000), longest_ticks);
}

TEST(DataflowTicks, a_rate_is_the_inverse_of_the_time_that_it_gives) {
  for (const Ticks time : {Ticks{1}, Ticks{999}, Ticks{1'500'000'000}, Ticks{3'600'000'000'000}}) {
    for (const std::uint64_t bytes : {1U, 1000U, 1U << 20U, 1U << 30U}) {
      // Rounded down twice: a tick for each million of bytes and one at the end.
      EXPECT_LE(scaled(per_million(time, bytes), bytes), time);
      EXPECT_GE(scaled(per_million(time, bytes), bytes), time - 2 - static_cast<Ticks>(bytes / 1'000'000));
    }
  }
}

}  // namespace
}  // namespace lbsp::dataflow
