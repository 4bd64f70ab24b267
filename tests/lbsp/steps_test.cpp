#include "lbsp/steps.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "lbsp/survival/carried.hpp"
#include "transport/error.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace lbsp {
namespace {

transport::WorldChange back_to(std::uint64_t boundary) {
  return {.epoch = 1, .members = {0}, .lost = {1}, .boundary = boundary};
}

/// A job of one rank, which lives on in as many worlds as a test wants.
class StatesOfSteps : public ::testing::Test {
 protected:
  std::vector<std::unique_ptr<transport::Exchange>> exchanges = transport::make_threads_exchanges(1);
  Carried carried{Survival{.outlives_ranks = true}};

  /// The values that the program had in its steps, from `state` on, until it ends `after` so many of them.
  std::vector<std::uint64_t> steps_of(std::string& state, std::uint64_t count, std::size_t after = 1000) {
    World world(*exchanges.front(), carried);
    std::vector<std::uint64_t> done;
    for (const std::uint64_t step : Steps(world, state, count)) {
      if (done.size() == after) break;
      world.sync();
      state += static_cast<char>('a' + step);
      done.push_back(step);
    }
    return done;
  }
};

TEST_F(StatesOfSteps, are_those_before_each_step) {
  std::string state = ">";
  EXPECT_EQ(steps_of(state, 4), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(state, ">abcd");
}

TEST_F(StatesOfSteps, of_steps_that_are_looped_over_twice_are_refused) {
  World world(*exchanges.front(), carried);
  int state = 0;
  Steps steps(world, state, 3);
  for (const std::uint64_t step : steps) {
    if (step == 1) break;
  }
  try {
    for ([[maybe_unused]] const std::uint64_t step : steps)
      ADD_FAILURE() << step;
    FAIL() << "nothing is thrown";
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "a Steps is looped over a second time, and would begin with step 0 again: loop over it once, with all "
        "that a step does in it");
  }
}

TEST_F(StatesOfSteps, are_gone_on_from_in_the_next_world) {
  std::string state = ">";
  steps_of(state, 10, 3);
  // Saved before step 3 is number 4; the others may only have come to number 3.
  carried.change_to(back_to(3));
  std::string again = "something else";
  EXPECT_EQ(steps_of(again, 5), (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(again, ">abcde");
}

TEST_F(StatesOfSteps, may_be_the_newest_and_may_be_all_there_is_to_do) {
  std::string state = ">";
  steps_of(state, 3);
  carried.change_to(back_to(4));
  std::string again;
  EXPECT_TRUE(steps_of(again, 3).empty());
  EXPECT_EQ(again, ">abc");
}

TEST_F(StatesOfSteps, can_be_gone_on_from_more_than_once) {
  std::string state = ">";
  steps_of(state, 10, 3);
  for (int i = 0; i < 3; ++i) {
    carried.change_to(back_to(3));
    std::string again;
    EXPECT_EQ(steps_of(again, 10, 1), (std::vector<std::uint64_t>{2}));
    EXPECT_EQ(again, ">abc");
  }
}

TEST_F(StatesOfSteps, are_none_at_the_beginning_of_the_job) {
  std::string state = ">";
  steps_of(state, 10, 1);
  carried.change_to(back_to(0));
  std::string again = "<";
  EXPECT_EQ(steps_of(again, 2), (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(again, "<ab");
}

TEST_F(StatesOfSteps, that_no_superstep_separates_are_kept_as_one) {
  {
    World world(*exchanges.front(), carried);
    world.save(1, std::string("one"));
    world.sync();
    world.save(2, std::string("two"));
    world.save(3, std::string("three"));
  }
  // All others hold 1, and may hold 3.
  Carried before = carried;
  before.change_to(back_to(1));
  EXPECT_EQ(std::any_cast<std::string>(before.restored()->state), "one");
  carried.change_to(back_to(3));
  EXPECT_EQ(std::any_cast<std::string>(carried.restored()->state), "three");
}

TEST_F(StatesOfSteps, that_this_rank_has_not_saved_cannot_be_gone_on_from) {
  std::string state = ">";
  steps_of(state, 10, 3);
  EXPECT_THROW(carried.change_to(back_to(2)), UsageError);
}

TEST_F(StatesOfSteps, have_numbers_from_1_that_do_not_fall) {
  World world(*exchanges.front(), carried);
  EXPECT_THROW(world.save(0, 0), UsageError);
  world.save(2, 0);
  EXPECT_THROW(world.save(1, 0), UsageError);
}

TEST_F(StatesOfSteps, of_another_type_are_refused) {
  std::string state = ">";
  steps_of(state, 10, 1);
  carried.change_to(back_to(2));
  World world(*exchanges.front(), carried);
  int other = 0;
  EXPECT_THROW(Steps(world, other), UsageError);
}

TEST_F(StatesOfSteps, need_nothing_of_a_world_that_stands_by_itself) {
  World world(*exchanges.front());
  int state = 0;
  for ([[maybe_unused]] const std::uint64_t step : Steps(world, state, 3)) {
    world.sync();
    ++state;
  }
  EXPECT_EQ(state, 3);
  EXPECT_FALSE(world.change());
  EXPECT_FALSE(world.saved());
}

}  // namespace
}  // namespace lbsp
