// Runs of graphs in whole jobs in virtual time whose ranks are lost, replaced, and joined by others.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "lbsp/dataflow/run.hpp"
#include "tests/lbsp/asked_seeds.hpp"
#include "tests/lbsp/dataflow/mixing_graphs.hpp"
#include "tests/lbsp/good_end.hpp"
#include "tests/lbsp/lasting_worlds.hpp"

namespace lbsp::dataflow::running {
namespace {

using namespace std::chrono_literals;
using lasting::LastingWorlds;

/// Nothing moves that does not have to, whatever tokens take.
constexpr Transfer dear{0, 1'000'000'000'000'000};

/// What rank 0 of the last world had.
struct Ended {
  RunRecord run;
  int seated = 0;
  Rank ranks = 0;
};

Ended ended(const LastingWorlds::Plan& plan, const Graph& graph, const RunOptions& options) {
  Ended end;
  LastingWorlds worlds(plan, [&](World& world, Rank) {
    RunRecord run = dataflow::run(world, graph, options);
    if (world.rank() != 0) return;
    end.run = std::move(run);
    end.ranks = world.size();
  });
  lasting::expect_good_end(worlds, plan.size, lasting::Sleepers::are_left_out);
  end.seated = worlds.seated();
  return end;
}

/// Rank 3 of four dies when it is to compute its first token of level 18, of twelve pieces.
RunRecord without_slot_3(const RunOptions& options, lasting::Duration respawn_after = 0s) {
  constexpr std::int64_t pieces = 12;
  RunRecord run;
  bool died = false;
  const LastingWorlds::Plan plan{.size = 4, .respawn_after = respawn_after};
  LastingWorlds* job = nullptr;
  LastingWorlds worlds(plan, [&](World& world, Rank slot) {
    const Graph graph = rows_graph(pieces, 30, [&, slot](std::int64_t token) {
      if (slot != 3 || died || token / pieces != 18) return;
      died = true;
      job->die(slot);
    });
    RunRecord ended = dataflow::run(world, graph, options);
    if (world.rank() == 0) run = std::move(ended);
  });
  job = &worlds;
  EXPECT_TRUE(worlds.run(300s)) << "hangs";
  EXPECT_TRUE(died);
  EXPECT_EQ(run.results, computed_alone(rows_graph(pieces, 30)));
  return run;
}

TEST(LastingRuns, compute_again_what_the_lost_rank_alone_had_and_nothing_else) {
  const RunRecord run = without_slot_3({.memory = dear});
  ASSERT_EQ(run.changes.size(), 1U);
  EXPECT_EQ(run.changes[0], (RunChange{1, 1, 0, 0, 3, 19, 54}));
  EXPECT_EQ(run.runs_again, 54U);
  EXPECT_EQ(std::ranges::count(run.again, true), 54);
  EXPECT_THAT(run.mapping(12 * 30), testing::Each(testing::AllOf(testing::Ge(0), testing::Le(2))));
}

TEST(LastingRuns, go_back_no_further_than_to_the_last_level_that_is_replicated) {
  const RunRecord run = without_slot_3({.memory = dear, .replicate_every = 5});
  ASSERT_EQ(run.changes.size(), 1U);
  EXPECT_EQ(run.changes[0].to_redo, 9U);
  EXPECT_EQ(run.runs_again, 9U);
}

/// Bytes that were copied in an undisturbed run, planned by such a mean time between failures of a host, in seconds.
std::uint64_t copied_by_plan(double host_mtbf, std::uint64_t most_spare_bytes = std::uint64_t{1} << 30) {
  std::uint64_t bytes = 0;
  LastingWorlds worlds({.size = 4, .host_mtbf = host_mtbf}, [&](World& world, Rank) {
    const Graph graph = rows_graph(12, 30);
    const RunRecord run = dataflow::run(
        world, graph,
        {.memory = dear, .replicate_every = RunOptions::planned, .most_spare_bytes = most_spare_bytes});
    if (world.rank() == 0) bytes = run.copied_bytes();
  });
  EXPECT_TRUE(worlds.run(300s)) << "hangs";
  return bytes;
}

TEST(LastingRuns, copy_streams_as_often_as_is_planned) {
  EXPECT_EQ(copied_by_plan(1e9), 0U);
  EXPECT_GT(copied_by_plan(1e-9), 0U);
  EXPECT_GT(copied_by_plan(1e9, 1000), 0U) << "before there are more than are kept";
}

TEST(LastingRuns, have_the_right_results_with_planned_copies_whenever_a_rank_dies) {
  const Graph graph = random_graph(5);
  const Results expected = computed_alone(graph);
  for (std::uint64_t death = 1; death < 160; death += 12) {
    SCOPED_TRACE(death);
    LastingWorlds::Plan plan{
        .size = 4, .loss = 0.05, .seed = death, .host_mtbf = death % 2 == 0 ? 1e-6 : 0.1};
    plan.dies_after.resize(4);
    plan.dies_after[death % 4] = death;
    EXPECT_EQ(ended(plan, graph, {.replicate_every = RunOptions::planned}).run.results, expected);
  }
}

TEST(LastingRuns, give_a_new_process_what_is_to_be_done) {
  const RunRecord run = without_slot_3({.memory = dear, .replicate_every = 5}, 20ms);
  ASSERT_EQ(run.changes.size(), 1U);
  EXPECT_EQ(run.changes[0], (RunChange{1, 1, 1, 0, 4, 19, 9}));
  EXPECT_EQ(run.runs_again, 9U);
}

TEST(LastingRuns, that_keep_only_what_is_needed_compute_more_again) {
  const RunRecord run = without_slot_3({.memory = dear, .most_spare_bytes = 0});
  EXPECT_GT(run.runs_again, 150U);
}

TEST(LastingRuns, say_when_levels_ended_and_with_how_many_ranks) {
  const RunRecord run = without_slot_3({.memory = dear, .replicate_every = 5});
  ASSERT_EQ(run.ends.size(), 34U) << "three levels ran twice, and level 18 in two parts";
  EXPECT_EQ(run.ends.front().ranks, 4);
  EXPECT_EQ(run.ends.back().ranks, 3);
  EXPECT_EQ(run.ends.back().level, 29U);
  EXPECT_EQ(run.ends[18].level, 18U);
  EXPECT_EQ(run.ends[18].tokens, 9U);
  std::size_t tokens = 0;
  std::size_t again = 0;
  for (const LevelEnd& end : run.ends) {
    tokens += end.tokens;
    again += end.again;
  }
  EXPECT_EQ(again, 9U);
  EXPECT_EQ(tokens, 12U * 30U + 9U);
}

TEST(LastingRuns, have_the_right_results_whenever_a_rank_dies) {
  const Graph graph = random_graph(3);
  const Results expected = computed_alone(graph);
  int changed = 0;
  for (std::uint64_t death = 1; death < 160; death += 6) {
    SCOPED_TRACE(death);
    LastingWorlds::Plan plan{.size = 4, .loss = 0.05, .seed = death};
    plan.dies_after.resize(4);
    plan.dies_after[death % 4] = death;
    const Ended end = ended(plan, graph, {.replicate_every = death % 4});
    EXPECT_EQ(end.run.results, expected);
    changed += end.run.changes.empty() ? 0 : 1;
  }
  EXPECT_GT(changed, 10);
}

/// One or two of all die or sleep; in half of the schedules new processes replace them, and ranks join.
LastingWorlds::Plan schedule(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = static_cast<Rank>(5 + random() % 4);
  LastingWorlds::Plan plan{.size = size, .survive = 2, .loss = 0.1, .seed = seed};
  for (std::uint64_t left = random() % 3; left > 0; --left)
    plan.joins_at.push_back(static_cast<int>(1 + random() % 500) * 1ms);
  std::ranges::sort(plan.joins_at);
  plan.dies_after.resize(static_cast<std::size_t>(size) + plan.joins_at.size());
  plan.sleeps_after.resize(plan.dies_after.size());
  for (std::uint64_t left = random() % 3; left > 0; --left) {
    auto& list = random() % 3 == 0 ? plan.sleeps_after : plan.dies_after;
    list[random() % list.size()] = 1 + random() % 400;
  }
  if (random() % 2 == 0) plan.respawn_after = 20ms;
  return plan;
}

TEST(LastingRuns, have_the_right_results_whoever_joins_dies_or_sleeps) {
  const auto [first, last] = test::asked_seeds(40);
  int seated = 0;
  int changes = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = seed % 2 == 0 ? random_graph(seed) : rows_graph(10, 20);
    const RunOptions options{.replicate_every = seed % 5,
                             .grows = seed % 3 != 0,
                             .most_spare_bytes = seed % 7 == 0 ? 20'000U : 1U << 30};
    const Ended end = ended(schedule(seed), graph, options);
    EXPECT_EQ(end.run.results, computed_alone(graph));
    seated += end.seated;
    changes += static_cast<int>(end.run.changes.size());
  }
  EXPECT_GT(seated, 0);
  EXPECT_GT(changes, 0);
}

/// Takes longer than its streams do through memory, on any machine, so that it pays to share tokens.
void compute_for_a_while([[maybe_unused]] std::int64_t token) {
  const auto end = std::chrono::steady_clock::now() + 100us;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(LastingRuns, give_tokens_to_ranks_that_join_and_redo_nothing) {
  const Graph graph = rows_graph(24, 40, compute_for_a_while);
  const Ended end = ended({.size = 2, .joins_at = {30ms, 32ms, 100ms}}, graph, {.grows = true});
  EXPECT_EQ(end.run.results, computed_alone(graph));
  EXPECT_EQ(end.seated, 3);
  EXPECT_EQ(end.ranks, 5);
  std::int32_t joined = 0;
  for (const RunChange& change : end.run.changes) {
    joined += change.joined;
    EXPECT_EQ(change.to_redo, 0U);
  }
  EXPECT_EQ(joined, 3);
  EXPECT_EQ(end.run.runs_again, 0U);
  std::set<Worker> who_computed;
  for (const LevelRecord& level : end.run.levels)
    for (const Placement& each : level.placements)
      who_computed.insert(each.worker);
  EXPECT_EQ(who_computed.size(), 5U) << "in the last world";
}

TEST(LastingRuns, let_nobody_in_unless_they_grow) {
  const Graph graph = rows_graph(8, 20);
  EXPECT_EQ(ended({.size = 3, .joins_at = {20ms}}, graph, {}).seated, 0);
}

}  // namespace
}  // namespace lbsp::dataflow::running
