#include "transport/rate/carried_rounds.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

TEST(CarriedRounds, forget_the_most_after_ten_rounds_but_what_was_carried_lately_by_a_hundredth_in_each) {
  CarriedRounds carried;
  EXPECT_EQ(carried.lately(), 0);
  carried.add(1000);
  for (int i = 0; i < 10; ++i)
    carried.add(100);
  EXPECT_EQ(carried.most(), 100);
  EXPECT_NEAR(carried.lately(), 904, 1);
  carried.add(950);
  EXPECT_EQ(carried.lately(), 950);
}

TEST(CarriedRounds, have_the_mean_of_those_that_there_were) {
  CarriedRounds carried;
  EXPECT_EQ(carried.mean(), 0);
  carried.add(100);
  carried.add(300);
  EXPECT_EQ(carried.mean(), 200);
}

}  // namespace
}  // namespace lbsp::transport
