#include "tools/launch/ranks/start_up.hpp"

#include <gtest/gtest.h>

namespace lbsp::launch::ranks {
namespace {

/// Of three ranks on this machine, at ports 1, 2 and 3.
StartUp three_ranks() {
  request::RunOptions options;
  options.program = "program";
  options.ranks = 3;
  const places::Placement placement = places::place_ranks(options);
  StartUp start_up(options, placement, nullptr);
  for (Rank rank = 0; rank < 3; ++rank)
    start_up.hello(rank, {.port = static_cast<std::uint16_t>(rank + 1), .ciphers = {}});
  return start_up;
}

TEST(StartUp, tells_where_a_rank_is_and_where_a_new_process_is_that_may_take_its_place) {
  StartUp start_up = three_ranks();
  start_up.hello_newcomer(1, 0, {.port = 11, .ciphers = {}});
  const job::Start start = start_up.start();
  EXPECT_EQ(start.addresses[1].port, 11);
  ASSERT_EQ(start.former.size(), 1U);
  EXPECT_EQ(start.former[0].first, 1);
  EXPECT_EQ(start.former[0].second.port, 2);
}

TEST(StartUp, tells_where_a_new_process_is_that_has_the_place) {
  StartUp start_up = three_ranks();
  start_up.hello_newcomer(1, 0, {.port = 11, .ciphers = {}});
  start_up.seat_newcomer(1);
  EXPECT_TRUE(start_up.start().former.empty());
  // Another one that is not needed leaves it there.
  start_up.hello_newcomer(1, 0, {.port = 21, .ciphers = {}});
  start_up.forget_newcomer(1);
  EXPECT_EQ(start_up.start().addresses[1].port, 11);
  EXPECT_EQ(start_up.start().addresses[2].port, 3);
}

}  // namespace
}  // namespace lbsp::launch::ranks
