#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "tests/lbsp/asked_seeds.hpp"
#include "tests/lbsp/lasting_job.hpp"

namespace lbsp::lasting {
namespace {

using namespace std::chrono_literals;

/// Whoever joins and is lost, the answer is right. Returns how many have got a slot.
int expect_growth(LastingJob job, const LastingWorlds::Plan& plan) {
  job.grows = true;
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  expect_good_end(worlds, plan.size, Sleepers::are_left_out);
  job.expect_right(worlds, worlds.slots());
  return worlds.seated();
}

TEST(GrownWorlds, have_the_right_answer_whenever_a_rank_joins) {
  int seated = 0;
  for (int at = 1; at < 300; at += 12) {
    SCOPED_TRACE(at);
    seated += expect_growth({.every = 3}, {.size = 3, .loss = 0.05, .joins_at = {at * 1ms}});
  }
  EXPECT_GT(seated, 15);
}

TEST(GrownWorlds, share_out_all_work_among_those_that_were_there_and_those_that_joined) {
  LastingJob job{.steps = 60, .every = 4, .grows = true};
  const LastingWorlds::Plan plan{.size = 2, .joins_at = {5ms, 6ms, 150ms}};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  job.expect_right(worlds, worlds.slots());
  ASSERT_EQ(worlds.slots(), 5);
  for (Slot slot = 0; slot < 5; ++slot)
    EXPECT_EQ(job.results[slot].size(), part_of(cells, 5, slot).count) << slot;
  EXPECT_EQ(worlds.changes(0), 2) << "two that knock together come together";
}

TEST(GrownWorlds, grow_from_a_single_rank) {
  EXPECT_EQ(expect_growth({}, {.size = 1, .joins_at = {20ms}}), 1);
}

/// A state has been kept a few supersteps after it was saved.
TEST(GrownWorlds, do_again_no_more_than_what_came_after_the_last_state) {
  LastingJob job{.steps = 200, .every = 40, .grows = true};
  const LastingWorlds::Plan plan{.size = 3, .joins_at = {300ms}};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  EXPECT_EQ(worlds.seated(), 1);
  EXPECT_EQ(job.first % 40, 0U);
  EXPECT_LE(job.most_again, transport::most_early + 3U);
}

TEST(GrownWorlds, let_nobody_in_unless_the_program_can_grow) {
  LastingJob job;
  const LastingWorlds::Plan plan{.size = 3, .dies_after = {0, 100}, .joins_at = {20ms}};
  LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  EXPECT_EQ(worlds.seated(), 0);
  job.expect_right(worlds, plan.size);
}

/// Between the process that joins and some of the others, one way or both, from some time on, for a while or for good.
LastingWorlds::Plan unreachable(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = static_cast<Slot>(3 + random() % 6);
  LastingWorlds::Plan plan{.size = size, .loss = random() % 2 == 0 ? 0 : 0.1, .seed = seed};
  plan.joins_at = {static_cast<int>(1 + random() % 200) * 1ms};
  const auto begin = plan.joins_at[0] + static_cast<int>(random() % 100) * 1ms;
  const auto end = random() % 2 == 0 ? Duration(1h) : begin + static_cast<int>(random() % 1000) * 1ms;
  const bool all = random() % 3 == 0;
  const std::uint64_t ways = 1 + random() % 3;
  for (int other = 0; other < size; ++other) {
    if (!all && random() % 3 != 0) continue;
    if ((ways & 1) != 0) plan.cuts.push_back({other, size, begin, end});
    if ((ways & 2) != 0) plan.cuts.push_back({size, other, begin, end});
  }
  return plan;
}

TEST(GrownWorlds, lose_nobody_to_one_that_joins_and_is_not_reached_by_all) {
  const auto [first, last] = test::asked_seeds(60);
  int seated = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    const auto plan = unreachable(seed);
    LastingJob job{.every = 3, .grows = true};
    LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
    EXPECT_TRUE(worlds.run(120s)) << "hangs";
    for (Slot slot = 0; slot < plan.size; ++slot)
      EXPECT_TRUE(worlds.finished(slot)) << slot << ": " << worlds.error(slot);
    job.expect_right(worlds, worlds.slots());
    seated += worlds.seated();
  }
  EXPECT_GT(seated, 0);
}

/// One or two join, and one or two, of all, die or sleep; in half of the schedules new processes replace them.
LastingWorlds::Plan schedule(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = static_cast<Slot>(5 + random() % 4);
  LastingWorlds::Plan plan{.size = size, .survive = 2, .loss = 0.1, .seed = seed};
  for (std::uint64_t left = 1 + random() % 2; left > 0; --left)
    plan.joins_at.push_back(static_cast<int>(1 + random() % 400) * 1ms);
  std::ranges::sort(plan.joins_at);
  const std::size_t processes = static_cast<std::size_t>(size) + plan.joins_at.size();
  plan.dies_after.resize(processes);
  plan.sleeps_after.resize(processes);
  for (std::uint64_t left = random() % 3; left > 0; --left) {
    auto& list = random() % 3 == 0 ? plan.sleeps_after : plan.dies_after;
    list[random() % list.size()] = 1 + random() % 600;
  }
  if (random() % 2 == 0) plan.respawn_after = 20ms;
  return plan;
}

TEST(GrownWorlds, have_the_right_answer_whoever_joins_dies_or_sleeps_meanwhile) {
  const auto [first, last] = test::asked_seeds(40);
  int seated = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    seated += expect_growth({.every = 1 + seed % 12}, schedule(seed));
  }
  EXPECT_GT(seated, 0);
}

}  // namespace
}  // namespace lbsp::lasting
