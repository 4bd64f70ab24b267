// What must hold of plans of any graph.
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "lbsp/dataflow/comparison/heft.hpp"
#include "lbsp/dataflow/comparison/length.hpp"
#include "lbsp/dataflow/comparison/rehearsal.hpp"
#include "lbsp/dataflow/planning/prediction.hpp"
#include "tests/lbsp/dataflow/comparison/shapes.hpp"

namespace lbsp::dataflow::comparison {

using planning::Estimates;
using planning::LevelPlan;
using planning::Predictor;
using planning::StreamIndex;

namespace {

constexpr std::uint64_t seeds = 60;

RandomCase fft_case(std::uint64_t seed) {
  return {fft_shape(8U << (seed % 3)), static_cast<Worker>(4 + seed % 9), seed};
}

RandomCase jacobi_case(std::uint64_t seed) {
  return {jacobi_shape(12 + static_cast<std::uint32_t>(seed % 5) * 8,
                       6 + static_cast<std::uint32_t>(seed % 4) * 3),
          static_cast<Worker>(4 + seed % 9), seed + 1000};
}

/// The mean of L-HEFT's length by HEFT's, as supersteps. Fails where it is longer.
double mean_ratio(RandomCase (*make)(std::uint64_t)) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomCase one = make(seed);
    const Ticks levels = map_all(one.graph, one.estimates).length();
    const Ticks whole = superstep_length(one.graph, one.estimates, heft(one.graph, one.estimates).mapping());
    EXPECT_LE(levels, whole) << "seed " << seed;
    sum += static_cast<double>(levels) / static_cast<double>(whole);
  }
  return sum / static_cast<double>(seeds);
}

TEST(DataflowPlans, as_supersteps_lheft_is_never_longer_than_heft_on_60_random_transforms) {
  EXPECT_LT(mean_ratio(fft_case), 0.95);
}

TEST(DataflowPlans, as_supersteps_lheft_is_never_longer_than_heft_on_60_random_relaxations) {
  EXPECT_LT(mean_ratio(jacobi_case), 0.95);
}

TEST(DataflowPlans, every_token_has_one_place_and_a_workers_tokens_follow_each_other) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomCase one = jacobi_case(seed);
    const LevelledPlan plan = map_all(one.graph, one.estimates);
    std::set<TokenId> seen;
    for (const LevelPlan& level : plan.levels) {
      std::vector<Ticks> ends(level.ends.size());
      for (const Placement& each : level.placements) {
        EXPECT_TRUE(seen.insert(each.token).second);
        EXPECT_EQ(each.start, ends[static_cast<std::size_t>(each.worker)]);
        ends[static_cast<std::size_t>(each.worker)] = each.finish;
      }
      EXPECT_EQ(ends, level.ends);
    }
    EXPECT_EQ(seen.size(), one.graph.tokens());
  }
}

TEST(DataflowPlans, heft_overlaps_no_two_tokens_of_a_worker_and_waits_for_inputs) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomCase one = fft_case(seed);
    const HeftPlan plan = heft(one.graph, one.estimates);
    for (TokenId token = 0; token < one.graph.tokens(); ++token) {
      const Slot& slot = plan.slots[token];
      for (const StreamId input : one.graph.token(token).inputs) {
        const Slot& from = plan.slots[input];
        const Ticks moving =
            from.worker == slot.worker ? 0 : one.estimates.send[0].of(one.estimates.bytes[input]);
        EXPECT_GE(slot.start, from.finish + moving);
      }
      for (TokenId other = 0; other < token; ++other) {
        const Slot& there = plan.slots[other];
        EXPECT_TRUE(there.worker != slot.worker || there.finish <= slot.start || slot.finish <= there.start);
      }
    }
  }
}

TEST(DataflowPlans, a_worker_that_holds_a_copy_needs_no_fetch) {
  const Structure graph = one_stream_each({{}, {0}});
  Estimates estimates{{1000, 0}, [](TokenId, Worker worker) { return worker == 1 ? 10 : 20; }, {}};
  estimates.send.assign(2, Transfer{5, 1'000'000});
  StreamIndex index(2);
  index.add(0, 0);
  const std::vector<TokenId> ready{1};
  EXPECT_EQ(planning::map_level(graph, index, ready, estimates).placements[0].worker, 0);
  index.add(0, 1);
  const Placement there = planning::map_level(graph, index, ready, estimates).placements[0];
  EXPECT_EQ(there.worker, 1);
  EXPECT_EQ(there.finish, 10);
}

TEST(DataflowPlans, a_stream_comes_from_the_holder_that_sends_it_cheapest) {
  const Structure graph = one_stream_each({{}, {0}});
  Estimates estimates{{1000, 0}, [](TokenId, Worker worker) { return worker == 2 ? 1 : 100'000; }, {}};
  estimates.send = {Transfer{500, 0}, Transfer{70, 0}, Transfer{0, 0}};
  StreamIndex index(2);
  index.add(0, 0);
  index.add(0, 1);
  const std::vector<TokenId> ready{1};
  const Placement where = planning::map_level(graph, index, ready, estimates).placements[0];
  EXPECT_EQ(where.worker, 2);
  EXPECT_EQ(where.finish, 71);
}

std::vector<Worker> workers_of_tokens(const LevelPlan& plan) {
  std::vector<Worker> workers(plan.placements.size());
  for (const Placement& each : plan.placements)
    workers[each.token] = each.worker;
  return workers;
}

TEST(DataflowPlans, tokens_that_need_nothing_are_dealt_out_in_runs_that_take_no_longer) {
  const Structure graph = one_stream_each({{}, {}, {}, {}, {}, {}, {}});
  const std::vector<TokenId> ready{0, 1, 2, 3, 4, 5, 6};
  // The token in the middle takes longer than the others, and worker 1 twice as long as worker 0.
  const Estimates estimates{
      std::vector<std::uint64_t>(7, 1000),
      [](TokenId token, Worker worker) { return (token == 3 ? 25 : 10) * (worker + 1); },
      {Transfer{5, 0}, Transfer{5, 0}}};
  const StreamIndex index(7);
  const LevelPlan in_turns = planning::map_level(graph, index, ready, estimates);
  const LevelPlan in_runs =
      planning::map_level(graph, index, ready, estimates, {.neighbours_together = true});
  EXPECT_EQ(workers_of_tokens(in_turns), (std::vector<Worker>{1, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(workers_of_tokens(in_runs), (std::vector<Worker>{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(in_turns.ends, in_runs.ends);
}

/// Of a relaxation, in which neighbours read each other's streams in every level.
std::uint64_t streams_that_travel(const MapOptions& options) {
  const Structure graph = jacobi_shape(24, 12);
  const Estimates estimates{std::vector<std::uint64_t>(graph.tokens(), 1000),
                            [](TokenId, Worker) { return 10; },
                            std::vector<Transfer>(4, Transfer{5, 1'000'000})};
  const Mapping mapping = map_all(graph, estimates, options).mapping;
  std::uint64_t travel = 0;
  for (TokenId token = 0; token < graph.tokens(); ++token)
    for (const StreamId input : graph.token(token).inputs)
      if (mapping[input] != mapping[token]) ++travel;
  return travel;
}

TEST(DataflowPlans, neighbours_that_stay_together_send_each_other_little) {
  EXPECT_LT(2 * streams_that_travel({.neighbours_together = true}), streams_that_travel({}));
}

/// Workers that turn out `factor` times as slow as they were taken to be, and are learnt to be.
struct Surprise {
  RandomCase plan;
  std::vector<std::vector<Ticks>> taken = plan.takes;
  Reality reality;

  Surprise(RandomCase from, Ticks factor) : plan(std::move(from)) {
    plan.estimates.run = [this](TokenId token, Worker worker) {
      return taken[token][static_cast<std::size_t>(worker)];
    };
    reality.run = [this, factor](TokenId token, Worker worker) {
      const Ticks usual = plan.takes[token][static_cast<std::size_t>(worker)];
      return worker == 1 && plan.graph.token(token).level >= 3 ? factor * usual : usual;
    };
    reality.learn = [this](TokenId token, Worker worker, Ticks time) {
      const auto at = static_cast<std::size_t>(worker);
      const double by = static_cast<double>(time) / static_cast<double>(taken[token][at]);
      for (auto& each : taken)
        each[at] = static_cast<Ticks>(static_cast<double>(each[at]) * by);
    };
  }
  Surprise(const Surprise&) = delete;
  Surprise& operator=(const Surprise&) = delete;
};

TEST(DataflowRehearsal, where_nothing_surprises_the_whole_is_planned_once_and_takes_as_long_as_planned) {
  Surprise none(jacobi_case(7), 1);
  const HeftPlan plan = heft(none.plan.graph, none.plan.estimates);
  const Rehearsal replanned = rehearse_replanned_heft(none.plan.graph, none.plan.estimates, none.reality);
  EXPECT_EQ(replanned.plans, 1U);
  EXPECT_EQ(replanned.length, plan.length());
  EXPECT_EQ(replanned.evaluations, plan.evaluations);
  EXPECT_EQ(replanned.fetched_bytes, fetched_bytes(none.plan.graph, none.plan.estimates, plan.mapping()));
  const Rehearsal levels = rehearse_levels(none.plan.graph, none.plan.estimates, none.reality);
  EXPECT_EQ(levels.length, map_all(none.plan.graph, none.plan.estimates).length());
}

TEST(DataflowRehearsal, a_worker_that_becomes_slow_is_given_less_by_both) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Surprise known(jacobi_case(seed), 4);
    known.reality.learn = [](TokenId, Worker, Ticks) {};
    const Ticks blind = rehearse_levels(known.plan.graph, known.plan.estimates, known.reality).length;
    Surprise learnt(jacobi_case(seed), 4);
    EXPECT_LT(rehearse_levels(learnt.plan.graph, learnt.plan.estimates, learnt.reality).length, blind)
        << seed;
    Surprise again(jacobi_case(seed), 4);
    EXPECT_GT(rehearse_replanned_heft(again.plan.graph, again.plan.estimates, again.reality).plans, 1U)
        << seed;
  }
}

TEST(DataflowRehearsal, the_paper_and_the_vectors_count_tokens_alike) {
  EXPECT_EQ(fft_shape(4).tokens(), 12U);
  EXPECT_EQ(fft_shape(8).tokens(), 32U);
  EXPECT_EQ(jacobi_shape(64, 10).tokens(), 640U);
  EXPECT_EQ(jacobi_shape(64, 100).tokens(), 6400U);
}

TEST(DataflowPrediction, what_nobody_has_run_takes_as_long_as_the_guess) {
  Predictor predictor(2, 2, {.guess = 123});
  predictor.learn(1, 0, 50, 10);
  EXPECT_EQ(predictor.predict(0, 0, 1'000'000), 123);
  EXPECT_EQ(predictor.predict(1, 1, 20), 100);
}

TEST(DataflowPrediction, hours_for_a_byte_do_not_overflow_the_mean_of_many_workers) {
  Predictor predictor(1, 100);
  for (Worker worker = 0; worker < 99; ++worker)
    predictor.learn(0, worker, 7'200'000'000'000, 1);
  EXPECT_EQ(predictor.predict(0, 99, 1), 7'200'000'000'000);
}

}  // namespace
}  // namespace lbsp::dataflow::comparison
