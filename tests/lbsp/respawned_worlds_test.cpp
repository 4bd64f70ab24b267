#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "tests/lbsp/asked_seeds.hpp"
#include "tests/lbsp/lasting_job.hpp"

namespace lbsp::lasting {
namespace {

using namespace std::chrono_literals;

/// All slots have processes again at the end, with the parts that they had at the job's start.
int expect_return(const LastingJob& like, LastingWorlds::Plan plan) {
  plan.respawn_after = 20ms;
  LastingJob job = like;
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  expect_good_end(worlds, plan.size);
  job.expect_right(worlds, plan.size);
  for (Slot slot = 0; slot < plan.size; ++slot) {
    const Range part = part_of(cells, plan.size, slot);
    if (worlds.finished(slot)) {
      EXPECT_EQ(job.results[slot].size(), part.count);
      EXPECT_EQ(job.results[slot].begin()->first, part.begin);
    }
  }
  return worlds.seated();
}

TEST(RespawnedWorlds, are_whole_again_whenever_a_rank_dies_and_a_new_process_takes_its_place) {
  int seated = 0;
  for (std::uint64_t death = 1; death < 200; death += 8) {
    SCOPED_TRACE(death);
    seated +=
        expect_return({.every = 2}, {.size = 4, .loss = 0.05, .seed = death, .dies_after = {0, 0, death}});
  }
  EXPECT_GT(seated, 20);
}

TEST(RespawnedWorlds, are_whole_again_if_a_new_process_dies_too) {
  for (std::uint64_t death = 1; death < 130; death += 9) {
    SCOPED_TRACE(death);
    const std::vector<std::uint64_t> deaths = {0, 60, 0, death, 20 + death / 2};
    EXPECT_GE(expect_return({.every = 3}, {.size = 3, .loss = 0.05, .seed = death, .dies_after = deaths}), 1);
  }
}

TEST(RespawnedWorlds, give_a_new_process_a_large_state_whoever_dies_meanwhile) {
  for (std::uint64_t death = 100; death < 1500; death += 233) {
    SCOPED_TRACE(death);
    const std::vector<std::uint64_t> deaths = {0, 0, 300, 0, 0, death};
    expect_return({.steps = 20, .ballast = 60'000},
                  {.size = 5, .survive = 2, .loss = 0.05, .seed = death, .dies_after = deaths});
  }
}

TEST(RespawnedWorlds, are_whole_again_whoever_of_as_many_as_they_were_to_survive_dies_or_sleeps) {
  const auto [first, last] = test::asked_seeds(30);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto size = static_cast<Slot>(5 + random() % 4);
    LastingWorlds::Plan plan{.size = size, .survive = 2, .loss = 0.1, .seed = seed};
    plan.dies_after.resize(static_cast<std::size_t>(size));
    plan.sleeps_after.resize(static_cast<std::size_t>(size));
    for (int loss = 0; loss < 2; ++loss) {
      auto& list = random() % 3 == 0 ? plan.sleeps_after : plan.dies_after;
      list[random() % list.size()] = 1 + random() % 600;
    }
    plan.dies_after.push_back(random() % 3 == 0 ? 1 + random() % 300 : 0);  // the first new process
    expect_return({.every = 1 + random() % 12}, plan);
  }
}

TEST(RespawnedWorlds, end_who_slept_for_so_long_that_a_new_process_has_its_place) {
  LastingJob job{.steps = 200};
  const LastingWorlds::Plan plan{.size = 4, .sleeps_after = {0, 150}, .sleep = 1500ms, .respawn_after = 20ms};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  job.expect_right(worlds, plan.size);
  EXPECT_EQ(worlds.seated(), 1);
  EXPECT_TRUE(worlds.finished(1));
  EXPECT_NE(worlds.first_error(1).find("the other ranks go on without this one"), std::string::npos)
      << worlds.first_error(1);
}

TEST(RespawnedWorlds, go_on_without_a_rank_if_no_new_process_comes_in_time) {
  LastingJob job{.steps = 100};
  const LastingWorlds::Plan plan{
      .size = 4, .dies_after = {0, 0, 150}, .respawn_after = 1h, .newcomer_wait = 1s};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  job.expect_right(worlds, plan.size);
  EXPECT_EQ(worlds.seated(), 0);
}

/// Which is kept anew each time, by the ranks of the new world.
TEST(RespawnedWorlds, go_on_from_the_same_state_if_each_new_process_dies_in_the_same_step) {
  for (const std::uint64_t every : {1U, 2U, 3U, 10U}) {
    SCOPED_TRACE(every);
    int deaths = 0;
    LastingWorlds* running = nullptr;
    LastingJob job{.every = every};
    job.each_step = [&](Slot slot, std::uint64_t step) {
      if (slot == 2 && step == 37 && ++deaths <= 6) running->die(slot);
    };
    LastingWorlds worlds({.size = 4, .respawn_after = 20ms},
                         [&](World& world, Slot slot) { job.run(world, slot); });
    running = &worlds;
    expect_good_end(worlds, 4);
    job.expect_right(worlds, 4);
    ASSERT_EQ(worlds.states().size(), 6U);
    const std::uint64_t first = worlds.states().begin()->second;
    EXPECT_GE(first + std::max<std::uint64_t>(every, 2), 37U);
    for (const auto& [epoch, state] : worlds.states()) {
      EXPECT_LE(state, 37U);
      EXPECT_TRUE(every == 1 || state == first) << "epoch " << epoch << ": " << state;
    }
  }
}

TEST(RespawnedWorlds, begin_again_as_a_whole_if_the_program_keeps_nothing) {
  std::vector<std::uint64_t> sums(3);
  const LastingWorlds::Plan plan{.size = 3, .loss = 0.05, .dies_after = {0, 0, 100}, .respawn_after = 20ms};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) {
    const Queue<std::uint64_t> queue(world);
    std::uint64_t sum = 0;
    for ([[maybe_unused]] const std::uint64_t step : Steps(world, sum, 60)) {
      for (Rank to = 0; to < world.size(); ++to)
        queue.send(to, 0, sum + static_cast<std::uint64_t>(world.rank()));
      world.sync();
      for (const auto message : queue)
        sum += message.values()[0];
    }
    sums[static_cast<std::size_t>(slot)] = sum;
  });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  std::uint64_t expected = 0;
  for (int step = 0; step < 60; ++step)
    expected += 3 * expected + 3;
  EXPECT_EQ(sums, (std::vector<std::uint64_t>{expected, expected, expected}));
  EXPECT_EQ(worlds.seated(), 1);
}

}  // namespace
}  // namespace lbsp::lasting
