#include "lbsp/dataflow/run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>

#include "lbsp/collectives/all_gather.hpp"
#include "lbsp/dataflow/digest.hpp"
#include "tests/lbsp/dataflow/mixing_graphs.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp::dataflow::running {
namespace {

class DataflowRun : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(DataflowRun);
class DataflowFailure : public test::OverBackends {};
LBSP_OVER_ALL_BACKENDS(DataflowFailure);

/// Of all that a record says, so that ranks can compare theirs.
Number digest_of(const RunRecord& run) {
  Digest digest;
  for (const LevelRecord& level : run.levels) {
    for (std::size_t i = 0; i < level.placements.size(); ++i) {
      digest.add(level.placements[i].token);
      digest.add(static_cast<Number>(level.placements[i].worker));
      digest.add(static_cast<Number>(level.placements[i].start));
      digest.add(static_cast<Number>(level.placements[i].finish));
      digest.add(static_cast<Number>(level.took[i]));
    }
    digest.add(level.fetched_bytes);
    digest.add(static_cast<Number>(level.predicted));
  }
  return digest.value();
}

TEST_P(DataflowRun, any_graph_gives_what_one_process_computes_and_all_ranks_plan_alike) {
  for (const Rank ranks : {1, 2, 3, 5, 9}) {
    run_ranks(ranks, [](World& world) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const Graph graph = random_graph(seed);
        const RunRecord done = run(world, graph);
        if (world.rank() == 0) {
          EXPECT_EQ(done.results, computed_alone(graph));
        }
        EXPECT_EQ(done.results.empty(), world.rank() != 0);
        const auto digests = all_gather(world, digest_of(done));
        EXPECT_THAT(digests, testing::Each(digests.front()));
      }
    });
  }
}

TEST_P(DataflowRun, every_token_runs_once_on_the_rank_that_the_record_names) {
  run_ranks(4, [](World& world) {
    Graph graph;
    const auto where =
        graph.kernel("where", [&](const Inputs&, Outputs& out) { out.make<Rank>(0, 1)[0] = world.rank(); });
    for (int i = 0; i < 40; ++i) {
      graph.token(fmt::format("{}", i), where).writes(fmt::format("at/{}", i));
      graph.result(fmt::format("at/{}", i));
    }
    const RunRecord done = run(world, graph);
    const Mapping mapping = done.mapping(40);
    EXPECT_THAT(mapping, testing::IsSupersetOf({0, 1, 2, 3}));
    for (TokenId token = 0; token < 40 && world.rank() == 0; ++token)
      EXPECT_EQ(done.result<Rank>(fmt::format("at/{}", token))[0], mapping[token]);
  });
}

TEST_P(DataflowRun, a_level_is_a_superstep_and_the_results_are_one) {
  run_ranks(3, [](World& world) {
    const Graph graph = random_graph(5);
    const std::uint64_t before = world.superstep();
    const RunRecord done = run(world, graph);
    EXPECT_EQ(done.levels.size(), graph.structure().levels());
    EXPECT_EQ(world.superstep() - before, done.levels.size() + 1);
  });
}

TEST_P(DataflowRun, the_results_are_where_they_were_asked_for) {
  run_ranks(3, [](World& world) {
    const Graph graph = random_graph(6);
    const RunRecord done = run(world, graph, {.results_on = 2});
    if (world.rank() == 2) {
      EXPECT_EQ(done.results, computed_alone(graph));
    }
    if (world.rank() != 2) {
      EXPECT_THROW(done.result_bytes("initial/1"), UsageError);
    }
  });
}

TEST_P(DataflowRun, a_result_is_read_as_whole_values_only) {
  run_ranks(1, [](World& world) {
    Graph graph;
    const auto one = graph.kernel("one", [](const Inputs&, Outputs& out) { out.make<double>(0, 1)[0] = 1; });
    graph.token("write", one).writes("x");
    graph.result("x");
    const RunRecord done = run(world, graph);
    EXPECT_EQ(done.result<float>("x").size(), 2U);
    struct ThreeBytes {
      char bytes[3];
    };
    EXPECT_THROW(done.result<ThreeBytes>("x"), UsageError);
  });
}

TEST_P(DataflowRun, a_graph_of_nothing_is_run_at_once) {
  run_ranks(2, [](World& world) { EXPECT_TRUE(run(world, Graph()).levels.empty()); });
}

TEST_P(DataflowFailure, a_kernel_that_throws_names_its_token) {
  const auto outcomes = run_failing_ranks(2, [](World& world) {
    Graph graph;
    const auto fail =
        graph.kernel("fail", [](const Inputs&, Outputs&) { throw std::runtime_error("no disk"); });
    graph.token("write", fail).writes("x");
    graph.result("x");
    run(world, graph);
  });
  EXPECT_EQ(test::text_of<Error>(outcomes[0]), "token \"write\": no disk");
  EXPECT_THAT(test::text_of<Aborted>(outcomes[1]), testing::HasSubstr("no disk"));
}

TEST_P(DataflowFailure, a_kernel_without_memory_names_its_token_and_says_what_to_do) {
  const auto outcomes = run_failing_ranks(1, [](World& world) {
    Graph graph;
    const auto fail = graph.kernel("fail", [](const Inputs&, Outputs&) { throw std::bad_alloc(); });
    graph.token("write", fail).writes("x");
    graph.result("x");
    run(world, graph);
  });
  EXPECT_EQ(test::text_of<Error>(outcomes[0]),
            "token \"write\": out of memory: use more ranks, or a smaller problem");
}

TEST_P(DataflowFailure, what_makes_an_initial_stream_and_throws_names_the_stream) {
  const auto outcomes = run_failing_ranks(1, [](World& world) {
    Graph graph;
    graph.initial("a", []() -> StreamBytes { throw std::runtime_error("no disk"); });
    graph.token("read", graph.kernel("nothing", [](const Inputs&, Outputs&) {})).reads("a");
    run(world, graph);
  });
  EXPECT_EQ(test::text_of<Error>(outcomes[0]), "stream \"a\": no disk");
}

TEST_P(DataflowFailure, ranks_with_different_graphs_are_found_out) {
  const auto outcomes = run_failing_ranks(
      2, [](World& world) { run(world, random_graph(static_cast<std::uint64_t>(world.rank()))); });
  // Who finds it out first ends the other.
  for (const auto& outcome : outcomes)
    EXPECT_THAT(
        test::text_of<Error>(outcome),
        testing::ContainsRegex("the ranks disagree in superstep 0: rank [01] ran a graph of [0-9]+ tokens "
                               "\\(check value [0-9a-f]+\\) where rank [01] ran a graph of [0-9]+ tokens "
                               "\\(check value [0-9a-f]+\\): run the same graph, with the same names in the "
                               "same order, on every rank"));
}

TEST_P(DataflowFailure, a_rank_that_does_something_else_is_told_from_one_with_another_graph) {
  const auto outcomes = run_failing_ranks(2, [](World& world) {
    if (world.rank() == 0) run(world, random_graph(1));
  });
  for (const auto& outcome : outcomes)
    EXPECT_THAT(test::text_of<Error>(outcome),
                testing::AllOf(testing::HasSubstr("rank 1 ended the program"),
                               testing::Not(testing::HasSubstr("the same graph"))));
}

TEST_P(DataflowFailure, results_for_a_rank_that_there_is_not_are_refused) {
  const auto outcomes = run_failing_ranks(1, [](World& world) { run(world, Graph(), {.results_on = 1}); });
  EXPECT_EQ(test::text_of<UsageError>(outcomes[0]),
            "rank 1 of 1 is to get the results: name one that there is");
}

}  // namespace
}  // namespace lbsp::dataflow::running
