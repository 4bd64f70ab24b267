// Programs of several runs of graphs, in whole jobs in virtual time whose ranks are lost and replaced.
#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "lbsp/dataflow/run.hpp"
#include "lbsp/steps.hpp"
#include "tests/lbsp/dataflow/mixing_graphs.hpp"
#include "tests/lbsp/lasting_worlds.hpp"

namespace lbsp::dataflow::running {
namespace {

using namespace std::chrono_literals;
using lasting::LastingWorlds;

TEST(LastingRuns, that_follow_each_other_go_on_each_from_what_is_left_of_it) {
  const Graph first = rows_graph(6, 12);
  const Graph second = random_graph(8);
  for (std::uint64_t death = 20; death < 400; death += 21) {
    SCOPED_TRACE(death);
    LastingWorlds::Plan plan{.size = 4, .seed = death};
    plan.dies_after.resize(4);
    plan.dies_after[death % 4] = death;
    if (death % 2 == 0) plan.respawn_after = 20ms;
    Results one;
    Results other;
    LastingWorlds worlds(plan, [&](World& world, Rank) {
      const RunRecord before = run(world, first);
      const RunRecord after = run(world, second, {.results_on = world.size() - 1});
      if (world.rank() == 0) one = before.results;
      if (world.rank() == world.size() - 1) other = after.results;
    });
    EXPECT_TRUE(worlds.run(300s)) << "hangs";
    EXPECT_EQ(one, computed_alone(first));
    EXPECT_EQ(other, computed_alone(second));
  }
}

TEST(LastingRuns, in_the_steps_of_a_program_belong_to_their_step) {
  for (std::uint64_t death = 30; death < 300; death += 33) {
    SCOPED_TRACE(death);
    LastingWorlds::Plan plan{.size = 3, .seed = death, .dies_after = {0, death}};
    std::map<Rank, Number> sums;
    LastingWorlds worlds(plan, [&](World& world, Rank slot) {
      Number sum = 1;
      for ([[maybe_unused]] const std::uint64_t step : Steps(world, sum, 6)) {
        Graph graph;  // the same for all steps, but for what it begins with
        const auto add = graph.kernel("add", [](const Inputs& in, Outputs& out) {
          out.make<Number>(0, 1)[0] = 3 * in.values<Number>(0)[0] + 1;
        });
        graph.initial("from", [sum] { return bytes_of(sum); });
        graph.token("a", add).reads("from").writes("middle");
        graph.token("b", add).reads("middle").writes("to");
        graph.result("to");
        const RunRecord run = dataflow::run(world, graph);
        const Queue<Number> queue(world);
        if (world.rank() == 0)
          for (Rank to = 0; to < world.size(); ++to)
            queue.send(to, 0, run.result<Number>("to")[0]);
        world.sync();
        for (const auto message : queue)
          sum = message.values()[0];
      }
      sums[slot] = sum;
    });
    EXPECT_TRUE(worlds.run(300s)) << "hangs";
    Number expected = 1;
    for (int i = 0; i < 12; ++i)
      expected = 3 * expected + 1;
    EXPECT_EQ(sums[0], expected);
    EXPECT_EQ(sums[2], expected);
  }
}

TEST(LastingRuns, that_grow_are_refused_beside_states_that_let_ranks_in_otherwise) {
  LastingWorlds worlds({.size = 2}, [&](World& world, Rank) {
    run(world, rows_graph(2, 3), {.grows = true});
    int state = 0;
    for ([[maybe_unused]] const std::uint64_t step : Steps(world, state, 2))
      world.sync();
  });
  EXPECT_TRUE(worlds.run(300s));
  EXPECT_THAT(worlds.error(0), testing::HasSubstr("set RunOptions::grows of the graph to false"));
}

}  // namespace
}  // namespace lbsp::dataflow::running
