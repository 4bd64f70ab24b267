#include "lbsp/dataflow/running/ledger.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::dataflow::running {

using planning::LevelPlan;
using survival::Holdings;

namespace {

void idle(const Inputs&, Outputs&) {}

/// Rows of tokens, each of which reads what is above it.
Graph columns(int pieces, int levels) {
  Graph graph;
  const auto kernel = graph.kernel("idle", idle);
  for (int level = 0; level < levels; ++level) {
    for (int i = 0; i < pieces; ++i) {
      auto call = graph.token(fmt::format("t/{}/{}", level, i), kernel);
      if (level > 0) call.reads(fmt::format("s/{}/{}", level - 1, i));
      call.writes(fmt::format("s/{}/{}", level, i), 1000);
      if (level == levels - 1) graph.result(fmt::format("s/{}/{}", level, i));
    }
  }
  return graph;
}

/// A run without ranks: each token takes as long as its worker's slowness.
class PretendedRun {
 public:
  PretendedRun(const Graph& graph, std::vector<Ticks> slowness, const RunOptions& options = {})
      : ledger(graph, static_cast<Worker>(slowness.size()), options), slowness_(std::move(slowness)) {}

  void level(std::size_t number) {
    const LevelPlan plan = ledger.plan(number);
    shipped.push_back(ledger.shipments(plan));
    report();
    dropped.push_back(ledger.settle(number, plan));
    records.push_back({plan.placements, {}, plan.moves, plan.length(), 0});
  }

  /// What the workers computed last.
  void report() {
    LevelRecord none;
    LevelRecord& last = records.empty() ? none : records.back();
    for (Worker worker = 0; worker < static_cast<Worker>(slowness_.size()); ++worker) {
      Report report{1000, 1'000'000, 0};
      for (const Placement& each : last.placements) {
        if (each.worker != worker) continue;
        report.push_back(slowness_[static_cast<std::size_t>(worker)]);
        report.push_back(1000);
      }
      ledger.absorb(worker, report, last);
    }
  }

  std::vector<std::size_t> tokens_of_each(std::size_t number) const {
    std::vector<std::size_t> counts(slowness_.size());
    for (const Placement& each : records[number].placements)
      ++counts[static_cast<std::size_t>(each.worker)];
    return counts;
  }

  void levels(std::size_t first, std::size_t end) {
    for (std::size_t number = first; number < end; ++number)
      level(number);
  }
  void is_now(Worker worker, Ticks slowness) { slowness_[static_cast<std::size_t>(worker)] = slowness; }

  Ledger ledger;
  std::vector<LevelRecord> records;
  std::vector<std::vector<Shipment>> shipped;
  std::vector<std::vector<StreamId>> dropped;

 private:
  std::vector<Ticks> slowness_;
};

TEST(DataflowLedger, workers_that_turn_out_slower_get_fewer_tokens) {
  const Graph graph = columns(24, 5);
  PretendedRun run(graph, {1'000'000, 1'000'000, 4'000'000});
  for (std::size_t level = 0; level < 5; ++level)
    run.level(level);
  EXPECT_THAT(run.tokens_of_each(0), testing::ElementsAre(8, 8, 8));
  EXPECT_THAT(run.tokens_of_each(4), testing::ElementsAre(11, 11, 2));  // 11 ms, where a third each took 32
}

TEST(DataflowLedger, a_worker_that_stood_still_once_gets_its_share_again) {
  const Graph graph = columns(24, 80);
  PretendedRun run(graph, {1'000'000, 1'000'000, 1'000'000});
  run.levels(0, 20);
  for (std::size_t begin = 20; begin < 80; begin += 20) {
    run.is_now(2, 700'000'000);
    run.levels(begin, begin + 2);
    run.is_now(2, 1'000'000);
    run.levels(begin + 2, begin + 20);
    EXPECT_THAT(run.tokens_of_each(begin + 5), testing::ElementsAre(12, 12, 0)) << begin;
    EXPECT_THAT(run.tokens_of_each(begin + 19), testing::ElementsAre(8, 8, 8)) << begin;
  }
}

/// Levels of 12 ms, and tokens of 100 ms or a second on trial. From the third level on that is known.
TEST(DataflowLedger, a_worker_that_stays_far_too_slow_is_tried_ever_more_rarely_and_costs_little) {
  const Graph graph = columns(24, 1000);
  for (const Ticks slowness : {100'000'000, 1'000'000'000}) {
    PretendedRun run(graph, {1'000'000, 1'000'000, slowness});
    run.levels(0, 1000);
    std::size_t tried = 0;
    for (std::size_t level = 3; level < 1000; ++level)
      tried += run.tokens_of_each(level)[2];
    EXPECT_GE(tried, 1U) << slowness;
    EXPECT_LE(static_cast<Ticks>(tried) * slowness, 12'000'000'000 / 5) << slowness;
  }
}

TEST(DataflowLedger, without_surprises_no_stream_travels) {
  const Graph graph = columns(12, 6);
  PretendedRun run(graph, {1'000'000, 1'000'000, 1'000'000});
  for (std::size_t level = 0; level < 6; ++level) {
    run.level(level);
    EXPECT_THAT(run.shipped.back(), testing::IsEmpty()) << level;
  }
}

TEST(DataflowLedger, a_stream_that_two_tokens_of_a_rank_lack_goes_there_once) {
  Graph graph;
  const auto kernel = graph.kernel("idle", idle);
  graph.token("source", kernel).writes("s", 10);
  for (int i = 0; i < 6; ++i)
    graph.token(fmt::format("{}", i), kernel).reads("s").writes(fmt::format("r/{}", i));
  PretendedRun run(graph, {1'000'000, 1'000'000});
  run.level(0);
  run.level(1);
  EXPECT_THAT(run.tokens_of_each(1), testing::ElementsAre(3, 3));
  EXPECT_THAT(run.shipped[1], testing::ElementsAre(Shipment{0, 0, 1}));
}

TEST(DataflowLedger, a_stream_is_dropped_after_the_last_level_that_reads_it_unless_it_is_a_result) {
  Graph graph;
  const auto kernel = graph.kernel("idle", idle);
  graph.token("a", kernel).writes("early").writes("late").writes("nobody").writes("kept");
  graph.token("b", kernel).reads("early").reads("late").reads("kept").writes("next");
  graph.token("c", kernel).reads("next").reads("late").writes("end");
  graph.result("kept");
  graph.result("end");
  Ledger ledger(graph, 1, {});
  const auto names = [&](const std::vector<StreamId>& ids) {
    std::vector<std::string> all;
    for (const StreamId id : ids)
      all.push_back(graph.streams()[id].name);
    return all;
  };
  EXPECT_THAT(names(ledger.settle(0, ledger.plan(0))), testing::ElementsAre("nobody"));
  EXPECT_THAT(names(ledger.settle(1, ledger.plan(1))), testing::ElementsAre("early"));
  EXPECT_THAT(names(ledger.settle(2, ledger.plan(2))), testing::ElementsAre("late", "next"));
}

TEST(DataflowLedger, lengths_that_nobody_told_are_those_of_the_kernels_last_outputs) {
  Graph graph;
  const auto kernel = graph.kernel("idle", idle);
  graph.token("a", kernel).writes("x");
  graph.token("b", kernel).reads("x").writes("y");
  graph.result("y");
  Ledger ledger(graph, 1, {});
  LevelRecord first{ledger.plan(0).placements, {}, 0, 0, 0};
  ledger.settle(0, ledger.plan(0));
  EXPECT_EQ(ledger.bytes(0), 0U);
  ledger.absorb(0, std::vector<std::int64_t>{0, 0, 0, 5, 4096}, first);
  EXPECT_EQ(ledger.bytes(0), 4096U);
  EXPECT_THAT(first.took, testing::ElementsAre(5));
  ledger.settle(1, ledger.plan(1));
  EXPECT_EQ(ledger.bytes(1), 4096U);
}

TEST(DataflowLedger, a_report_that_is_too_short_is_an_error) {
  const Graph graph = columns(2, 1);
  Ledger ledger(graph, 1, {});
  LevelRecord record{ledger.plan(0).placements, {}, 0, 0, 0};
  EXPECT_THROW(ledger.absorb(0, std::vector<std::int64_t>{0, 0, 0, 5, 4096, 5}, record), Error);
}

TEST(DataflowLedger, copies_go_to_another_host_and_only_of_streams_that_no_second_worker_has) {
  Graph graph;
  const auto kernel = graph.kernel("idle", idle);
  graph.token("source", kernel).writes("s", 10).writes("alone", 10);
  for (int i = 0; i < 3; ++i)
    graph.token(fmt::format("{}", i), kernel).reads("s").writes(fmt::format("r/{}", i));
  graph.token("later", kernel).reads("r/0").reads("alone").writes("end");
  graph.result("end");
  Ledger ledger(graph, 3, {.replicate_every = 1}, {0, 0, 1});
  ledger.settle(0, ledger.plan(0));
  const LevelPlan plan = ledger.plan(1);
  const auto shipments = ledger.shipments(plan);
  EXPECT_THAT(shipments, testing::ElementsAre(Shipment{0, 0, 1}, Shipment{0, 0, 2}));
  const auto copies = ledger.copies(shipments);
  EXPECT_THAT(copies, testing::ElementsAre(Shipment{1, 0, 2}));
  ledger.settle_copies(copies);
  EXPECT_THAT(ledger.copies({}), testing::IsEmpty());
}

TEST(DataflowLedger, copies_go_while_tokens_compute_if_that_takes_longer_than_a_superstep_of_nothing) {
  const Graph graph = columns(4, 3);
  for (const Ticks of_nothing : {0, 1'999'999, 2'000'000, 5'000'000}) {
    Ledger ledger(graph, 2, {.replicate_every = 1});
    const LevelPlan first = ledger.plan(0);
    ledger.settle(0, first);
    LevelRecord record{first.placements, {}, 0, 0, 0};
    for (const Worker worker : {0, 1}) {
      const Ticks of_own = worker == 0 ? of_nothing : 0;  // the slowest counts
      ledger.absorb(worker, std::vector<std::int64_t>{0, 0, of_own, 1'000'000, 1000, 1'000'000, 1000},
                    record);
    }
    const LevelPlan plan = ledger.plan(1);
    const auto copies = ledger.copies(ledger.shipments(plan));
    EXPECT_EQ(copies.size(), 4U);
    EXPECT_EQ(ledger.go_meanwhile(copies, plan), of_nothing < 2'000'000) << "two tokens of 1 ms each";
    EXPECT_FALSE(ledger.go_meanwhile({}, plan));
  }
}

TEST(DataflowLedger, a_run_goes_on_with_what_the_ranks_hold_and_knows_their_times) {
  const Graph graph = columns(4, 3);
  Holdings one;  // has run the first two columns, two levels of them
  one.tokens = {3, 3, 1, 0, 3, 3, 0, 0, 0, 0, 0, 0};
  one.streams = {4, 5};
  one.lengths = {1000, 1000};
  one.times = {5'000'000, -1};
  Ledger ledger(graph, 2, {});
  const std::vector<Holdings> all{one, {}};
  const auto again = ledger.resume(all, survival::joint(all, 12, 12));
  EXPECT_THAT(again, testing::ElementsAre(2)) << "its stream is lost";
  EXPECT_EQ(ledger.next_level(), 0U);
  EXPECT_FALSE(ledger.is_needed(0));
  EXPECT_TRUE(ledger.is_needed(4));
  EXPECT_THAT(ledger.times_of(0), testing::ElementsAre(5'000'000, -1));
  const LevelPlan plan = ledger.plan(0);
  ASSERT_EQ(plan.placements.size(), 2U) << "tokens 2 and 3";
  EXPECT_THAT(ledger.settle(0, plan), testing::IsEmpty());
  EXPECT_EQ(ledger.next_level(), 1U);
}

TEST(DataflowLedger, holdings_of_another_graph_are_an_error) {
  Holdings one;
  one.streams = {12};
  one.lengths = {1};
  EXPECT_THROW(survival::joint({one}, 12, 12), Error);
  one = {};
  one.tokens = {1};
  EXPECT_THROW(survival::joint({one}, 12, 12), Error);
  one = {};
  one.times = {1};
  const Graph graph = columns(4, 3);
  Ledger ledger(graph, 1, {});
  EXPECT_THROW(ledger.resume({one}, survival::joint({one}, 12, 12)), Error);
}

}  // namespace
}  // namespace lbsp::dataflow::running
