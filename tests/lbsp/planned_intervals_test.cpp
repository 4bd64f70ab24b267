#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "tests/lbsp/asked_seeds.hpp"
#include "tests/lbsp/lasting_job.hpp"

namespace lbsp::lasting {
namespace {

using namespace std::chrono_literals;

/// Each rank measures something else, and plans what no other would.
LastingWorlds::Plan disagreeing(std::uint64_t seed, Slot size) {
  const double often_to_rarely[] = {0.1, 3, 100};
  return {.size = size,
          .survive = 2,
          .loss = 0.1,
          .seed = seed,
          .host_mtbf = often_to_rarely[seed % 3],
          .clock_error = 0.05};
}

struct Counted {
  std::uint64_t steps = 0;
  std::vector<std::uint64_t>* kept_after = nullptr;  ///< so many steps

  template <class All>
  void fields(All& all) {
    if (kept_after != nullptr && (kept_after->empty() || kept_after->back() != steps))
      kept_after->push_back(steps);
    all(steps);
  }
};

/// How often an undisturbed job of 400 steps keeps its states.
std::size_t states_kept(double host_mtbf, std::uint64_t& last_interval) {
  std::vector<std::uint64_t> kept;
  LastingWorlds worlds({.size = 3, .host_mtbf = host_mtbf, .clock_error = 1e-3}, [&](World& world,
                                                                                     Slot slot) {
    Counted state;
    if (slot == 0) state.kept_after = &kept;
    for ([[maybe_unused]] const std::uint64_t step : Steps(world, state, 400, Keep{.every = Keep::planned})) {
      world.sync();
      world.sync();
      ++state.steps;
    }
  });
  EXPECT_TRUE(worlds.run(600s)) << "hangs";
  for (Slot slot = 0; slot < 3; ++slot)
    EXPECT_TRUE(worlds.finished(slot)) << worlds.error(slot);
  EXPECT_FALSE(kept.empty());
  last_interval = kept.size() < 2 ? 0 : kept.back() - kept[kept.size() - 2];
  return kept.size();
}

TEST(PlannedIntervals, are_long_where_hosts_fail_rarely_and_short_where_they_fail_often) {
  std::uint64_t rarely = 0;
  std::uint64_t often = 0;
  const std::size_t few = states_kept(1e9, rarely);
  const std::size_t many = states_kept(0.01, often);
  EXPECT_LE(few, 7U);  // before the steps 10, 20 or 30, and then after twice as many each time
  EXPECT_GE(rarely, 80U);
  EXPECT_GT(many, 100U);
  EXPECT_LE(often, 3U);
}

TEST(PlannedIntervals, are_the_same_on_all_ranks_whoever_of_them_dies) {
  const auto [first, last] = test::asked_seeds(60);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    auto plan = disagreeing(seed, static_cast<Slot>(5 + random() % 4));
    plan.dies_after.resize(static_cast<std::size_t>(plan.size));
    plan.dies_after[0] = seed % 2 == 0 ? 1 + random() % 1500 : 0;
    plan.dies_after[1 + random() % (plan.dies_after.size() - 1)] = 1 + random() % 1500;
    expect_survival({.steps = 80, .every = Keep::planned}, plan);
  }
}

TEST(PlannedIntervals, are_the_same_on_new_processes_even_if_one_is_rank_0) {
  const auto [first, last] = test::asked_seeds(30);
  int seated = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    auto plan = disagreeing(seed, 5);
    plan.respawn_after = 20ms;
    plan.dies_after = {0, 0, 0, 0, 0, random() % 3 == 0 ? 1 + random() % 300 : 0};
    plan.dies_after[seed % 2 == 0 ? 0 : 1 + random() % 4] = 1 + random() % 900;
    LastingJob job{.steps = 80, .every = Keep::planned};
    LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
    expect_good_end(worlds, plan.size);
    job.expect_right(worlds, plan.size);
    seated += worlds.seated();
  }
  EXPECT_GT(seated, static_cast<int>(last - first) / 2);
}

TEST(PlannedIntervals, are_the_same_on_ranks_that_join) {
  const auto [first, last] = test::asked_seeds(20);
  int seated = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    auto plan = disagreeing(seed, 4);
    plan.joins_at = {static_cast<int>(seed) * 10ms, static_cast<int>(seed) * 17ms};
    LastingJob job{.steps = 120, .every = Keep::planned, .grows = true};
    LastingWorlds worlds(plan, [&](World& world, Slot slot) { job.run(world, slot); });
    expect_good_end(worlds, plan.size);
    job.expect_right(worlds, worlds.slots());
    seated += worlds.seated();
  }
  EXPECT_GT(seated, static_cast<int>(last - first));
}

}  // namespace
}  // namespace lbsp::lasting
