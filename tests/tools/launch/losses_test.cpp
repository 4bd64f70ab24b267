#include "tools/launch/losses.hpp"

#include <gtest/gtest.h>

namespace lbsp::launch {
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

}  // namespace
}  // namespace lbsp::launch
