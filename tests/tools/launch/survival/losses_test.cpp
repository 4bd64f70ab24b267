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

TEST(Losses, and_changes_of_very_many_are_the_newest) {
  Losses losses(true);
  losses.begin(3);
  losses.add(2, "it was killed");
  const std::uint32_t last = 30'000;
  for (std::uint32_t epoch = 1; epoch <= last; ++epoch) {
    const bool lost = epoch % 2 == 1;
    EXPECT_TRUE(losses.changed({.epoch = epoch,
                                .members = lost ? std::vector<Rank>{0} : std::vector<Rank>{0, 1},
                                .lost = lost ? std::vector<Rank>{1} : std::vector<Rank>{},
                                .seated = lost ? std::vector<Rank>{} : std::vector<Rank>{1}}));
  }
  EXPECT_EQ(losses.changes().size(), Losses::most_changes);
  EXPECT_EQ(losses.changes().size() + losses.forgotten_changes(), last);
  EXPECT_EQ(losses.changes().back().what.epoch, last);
  EXPECT_LE(losses.all().size(), Losses::most_losses);
  EXPECT_TRUE(losses.has(2)) << "who is not back is not forgotten";
  EXPECT_FALSE(losses.has(1));
  EXPECT_FALSE(losses.changed({.epoch = 7, .members = {0}, .lost = {1}})) << "that was long ago";
  EXPECT_FALSE(losses.has(1));
}

}  // namespace
}  // namespace lbsp::launch::survival
