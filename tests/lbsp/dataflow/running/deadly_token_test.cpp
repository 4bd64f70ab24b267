// Runs of graphs with a token that the rank dies of which computes it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <utility>

#include "lbsp/dataflow/run.hpp"
#include "tests/lbsp/dataflow/mixing_graphs.hpp"
#include "tests/lbsp/lasting_worlds.hpp"

namespace lbsp::dataflow::running {
namespace {

using namespace std::chrono_literals;
using lasting::LastingWorlds;

/// The last one lives.
TEST(DeadlyTokens, get_a_run_no_further) {
  constexpr int deaths = 12;
  constexpr std::int64_t pieces = 12;
  constexpr std::int64_t deadly = 18 * pieces + 7;
  int died = 0;
  RunRecord run;
  LastingWorlds* job = nullptr;
  LastingWorlds worlds({.size = 4, .respawn_after = 20ms}, [&](World& world, Rank slot) {
    const Graph graph = rows_graph(pieces, 30, [&, slot](std::int64_t token) {
      if (token == deadly && died++ < deaths) job->die(slot);
    });
    RunRecord ended = dataflow::run(world, graph, {});
    if (world.rank() == 0) run = std::move(ended);
  });
  job = &worlds;
  EXPECT_TRUE(worlds.run(300s)) << "hangs";
  EXPECT_EQ(died, deaths + 1);
  EXPECT_EQ(run.results, computed_alone(rows_graph(pieces, 30)));
  ASSERT_EQ(worlds.reached().size(), static_cast<std::size_t>(deaths));
  std::optional<std::uint64_t> most;
  int further = 0;
  for (const auto& [epoch, reached] : worlds.reached()) {
    ASSERT_TRUE(reached);
    EXPECT_LT(*reached, static_cast<std::uint64_t>(19 * pieces));
    further += reached > most ? 1 : 0;
    most = std::max(most, reached);
  }
  // What others have computed of the level is known one change later. How much that is each time follows from what
  // tokens are measured to take: a machine that is busy may make it one change or two more.
  EXPECT_LE(further, 5);
}

}  // namespace
}  // namespace lbsp::dataflow::running
