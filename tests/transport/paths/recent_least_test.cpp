#include "transport/paths/recent_least.hpp"

#include <gtest/gtest.h>
#include <initializer_list>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// After so many milliseconds each, one millisecond apart.
Duration least_of(std::initializer_list<int> milliseconds) {
  RecentLeast least(10s);
  Instant sent{1s};
  for (const int value : milliseconds)
    least.add(std::chrono::milliseconds{value}, sent += 1ms);
  return least.value();
}

TEST(RecentLeast, is_of_the_last_one_to_two_periods) {
  RecentLeast least(10s);
  EXPECT_EQ(least.value(), Duration::max());
  least.add(30ms, Instant{20s});
  least.add(32ms, Instant{29s});
  EXPECT_EQ(least.value(), 30ms);
  least.add(33ms, Instant{31s});
  EXPECT_EQ(least.value(), 30ms);
  least.add(33ms, Instant{42s});
  EXPECT_EQ(least.value(), 33ms);
}

TEST(RecentLeast, forgets_a_datagram_that_took_a_shorter_way) {
  EXPECT_EQ(least_of({40, 40, 20}), 20ms);
  EXPECT_EQ(least_of({40, 40, 20, 41}), 20ms);
  EXPECT_EQ(least_of({40, 40, 20, 41, 42}), 40ms);
  EXPECT_EQ(least_of({20, 41, 42}), 41ms);
  EXPECT_EQ(least_of({0, 0, -20, -1, 0}), -1ms);
}

TEST(RecentLeast, keeps_what_was_a_queue_that_had_gone) {
  EXPECT_EQ(least_of({40, 20, 21, 40, 40}), 20ms);
  EXPECT_EQ(least_of({40, 20, 40, 60, 60}), 20ms);
  EXPECT_EQ(least_of({40, 20, 40, 20, 40}), 20ms);
  EXPECT_EQ(least_of({40, 38, 40, 40}), 38ms);
}

}  // namespace
}  // namespace lbsp::transport
