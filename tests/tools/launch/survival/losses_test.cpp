#include "tools/launch/survival/losses.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "tools/launch/survival/loss_loop.hpp"

namespace lbsp::launch::survival {
namespace {

const job::Changed first_loss{.epoch = 1, .members = {0, 2}, .lost = {1}};
const job::Changed back_again{.epoch = 2, .members = {0, 1, 2}, .lost = {}, .seated = {1}};
const job::Changed second_loss{.epoch = 3, .members = {0, 1}, .lost = {2}};

std::vector<std::uint32_t> epochs(const std::vector<job::Changed>& changes) {
  std::vector<std::uint32_t> all;
  for (const job::Changed& change : changes)
    all.push_back(change.epoch);
  return all;
}

TEST(Losses, of_worlds_in_which_nobody_has_been_are_those_since_the_last_that_was_left) {
  Losses losses(true);
  losses.begin(3);
  for (const job::Changed& change : {first_loss, second_loss, back_again})
    EXPECT_TRUE(losses.changed(change));
  EXPECT_FALSE(losses.changed(back_again)) << "another rank's word";
  EXPECT_EQ(epochs(losses.changes_between(0, 1)), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(epochs(losses.changes_between(0, 3)), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(epochs(losses.changes_between(1, 3)), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_TRUE(losses.changes_between(3, 2).empty()) << "it has been left before";
  EXPECT_TRUE(losses.changes_between(3, 4).empty()) << "no rank has told of it";
}

/// A rank leaves the first world as soon as it has lost another; a third has computed until there was a third world.
TEST(Losses, count_once_however_many_worlds_a_rank_tells_of_at_once) {
  Losses losses(true);
  losses.begin(3);
  LossLoop loop;
  const auto leave = [&](std::uint32_t after, const job::Changed& told) {
    for (const job::Changed& each : transport::one_by_one(told))
      losses.changed(each);
    const auto changes = losses.changes_between(after, told.epoch);
    ASSERT_EQ(changes.size(), 1U);
    loop.world_ended(changes.front(), {.epoch = told.epoch, .supersteps = 7, .state = 0},
                     LossLoop::Clock::now());
  };
  leave(0, first_loss);
  EXPECT_EQ(loop.in_a_row(1), 1);
  leave(1, transport::followed_by(first_loss, back_again));
  EXPECT_EQ(loop.in_a_row(1), 1) << "it was lost once";
}

}  // namespace
}  // namespace lbsp::launch::survival
