#include "tools/launch/places/rank_names.hpp"

#include <gtest/gtest.h>

namespace lbsp::launch::places {
namespace {

TEST(RankNames, name_some_of_many_ranks) {
  EXPECT_EQ(name_ranks({3}), "rank 3");
  EXPECT_EQ(name_ranks({1, 4}), "ranks 1, 4");
  EXPECT_EQ(name_ranks({0, 1, 2, 7, 9}), "ranks 0, 1, 2 and 2 others");
  EXPECT_EQ(name_ranks({0, 1, 2, 7}), "ranks 0, 1, 2 and 1 other");
}

}  // namespace
}  // namespace lbsp::launch::places
