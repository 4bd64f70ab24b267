#include "transport/queues/bound/emptying.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

TEST(Emptying, goes_on_until_it_ends) {
  Emptying emptying;
  EXPECT_FALSE(emptying.goes_on());
  emptying.begin({.queue = 0.04, .through = 100, .least_after = 50});
  EXPECT_TRUE(emptying.goes_on());
  emptying.end();
  EXPECT_FALSE(emptying.goes_on());
  EXPECT_EQ(emptying.began().least_after, 50) << "is still known";
}

TEST(Emptying, is_in_vain_if_more_than_half_of_the_queue_stands_after_six_rounds) {
  const auto in_vain_after = [](double queue) {
    Emptying emptying;
    emptying.begin({.queue = 0.04});
    for (int round = 2; round <= 20; ++round)
      if (emptying.in_vain(queue)) return round;
    return 0;
  };
  EXPECT_EQ(in_vain_after(0.021), 7);
  EXPECT_EQ(in_vain_after(0.02), 0);
}

}  // namespace
}  // namespace lbsp::transport
