#include <gtest/gtest.h>
#include <random>

#include "tests/lbsp/lasting_job.hpp"

namespace lbsp::lasting {
namespace {

using namespace std::chrono_literals;

TEST(LastingWorlds, have_the_right_answer_if_nothing_happens) {
  expect_survival({}, {.size = 4, .loss = 0.1});
  expect_survival({}, {.size = 1});
}

TEST(LastingWorlds, have_it_whenever_a_rank_dies) {
  for (std::uint64_t death = 1; death < 400; death += 3) {
    SCOPED_TRACE(death);
    expect_survival({.every = 2}, {.size = 4, .loss = 0.05, .seed = death, .dies_after = {0, 0, death}});
  }
}

TEST(LastingWorlds, have_it_whenever_a_rank_dies_whose_state_is_large) {
  for (std::uint64_t death = 1; death < 3000; death += 151) {
    SCOPED_TRACE(death);
    expect_survival({.steps = 20, .ballast = 60'000},
                    {.size = 3, .loss = 0.05, .seed = death, .dies_after = {death}});
  }
}

TEST(LastingWorlds, have_it_whenever_two_die_that_they_were_to_survive) {
  std::mt19937_64 random(7);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto size = static_cast<Slot>(5 + random() % 4);
    LastingWorlds::Plan plan{.size = size, .survive = 2, .loss = 0.1, .seed = seed};
    plan.dies_after.resize(static_cast<std::size_t>(size));
    for (int death = 0; death < 2; ++death)
      plan.dies_after[random() % plan.dies_after.size()] = 1 + random() % 1500;
    expect_survival({.every = 1 + random() % 12}, plan);
  }
}

TEST(LastingWorlds, have_it_if_one_dies_after_the_other) {
  expect_survival({.steps = 300}, {.size = 6, .dies_after = {0, 400, 0, 1500, 0, 3000}});
}

TEST(LastingWorlds, keep_no_state_on_the_host_that_has_it) {
  // Both ranks of a host are lost at once.
  const LastingWorlds::Plan plan{
      .size = 6, .hosts = {0, 0, 1, 1, 2, 2}, .loss = 0.05, .dies_after = {0, 0, 300, 300}};
  expect_survival({}, plan);
}

/// The second would go on from the state of the first.
TEST(LastingWorlds, keep_states_in_one_place_of_the_program) {
  LastingWorlds worlds({.size = 3}, [](World& world, Slot) {
    for (int loop = 0; loop < 2; ++loop) {
      int state = 0;
      for ([[maybe_unused]] const std::uint64_t step : Steps(world, state, 20, Keep{.every = 3})) {
        ++state;
        world.sync();
      }
      EXPECT_EQ(state, 20);
    }
  });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  EXPECT_NE(worlds.error(0).find("use one Steps in a program"), std::string::npos) << worlds.error(0);
}

TEST(LastingWorlds, end_with_one_reason_if_more_are_lost_than_they_were_to_survive) {
  LastingJob job{.steps = 200};
  const LastingWorlds::Plan plan{.size = 6, .dies_after = {0, 0, 300, 300}};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  for (const Slot slot : {0, 1, 4, 5}) {
    EXPECT_FALSE(worlds.finished(slot));
    EXPECT_NE(
        worlds.error(slot).find("the state of rank 2 is lost: 4 of the 5 pieces that it takes can be had"),
        std::string::npos)
        << worlds.error(slot);
  }
}

}  // namespace
}  // namespace lbsp::lasting
