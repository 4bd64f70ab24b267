// Every plan of the reference implementation, time by time.
#include "tests/lbsp/dataflow/comparison/vectors.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "lbsp/dataflow/comparison/heft.hpp"
#include "lbsp/dataflow/comparison/length.hpp"
#include "lbsp/dataflow/planning/mapper.hpp"
#include "lbsp/dataflow/planning/prediction.hpp"
#include "lbsp/dataflow/survival/recovery.hpp"

namespace lbsp::dataflow::comparison {

using planning::Estimates;
using planning::Predictor;
using planning::StreamIndex;

namespace {

std::string name_of(Choice choice) {
  switch (choice) {
    case Choice::local:
      return "local";
    case Choice::moved:
      return "moved";
    case Choice::earliest_finish:
      break;
  }
  return "eft";
}

void expect_plan(const VectorCase& one, const char* which, const MapOptions& options) {
  SCOPED_TRACE(one.told["name"].get<std::string>() + " " + which);
  const auto& told = one.told[which];
  const LevelledPlan plan = map_all(one.graph, one.estimates, options);
  EXPECT_EQ(plan.length(), told["makespan"]);
  EXPECT_EQ(superstep_length(one.graph, one.estimates, plan.mapping), told["makespan"]);
  EXPECT_EQ(fetched_bytes(one.graph, one.estimates, plan.mapping), told["migrated"]);
  EXPECT_EQ(free_running_length(one.graph, one.estimates, plan.mapping, plan.starts),
            told["free_running_makespan"]);

  std::vector<Ticks> begins{0};
  std::vector<Ticks> ends;
  std::size_t moves = 0;
  std::map<TokenId, nlohmann::json> placements;
  for (std::size_t level = 0; level < plan.levels.size(); ++level) {
    moves += plan.levels[level].moves;
    for (const Placement& each : plan.levels[level].placements) {
      placements[each.token] = {{"level", level},
                                {"task", each.token},
                                {"worker", each.worker},
                                {"start", begins.back() + each.start},
                                {"finish", begins.back() + each.finish},
                                {"branch", name_of(each.choice)},
                                {"postfix", each.postfix}};
    }
    ends.push_back(begins.back() + plan.levels[level].length());
    begins.push_back(ends.back());
  }
  EXPECT_EQ(ends, told["level_end"].get<std::vector<Ticks>>());
  EXPECT_EQ(moves, told["moves"]);
  ASSERT_EQ(placements.size(), told["schedule"].size());
  for (const auto& each : told["schedule"])
    EXPECT_EQ(placements[each["task"].get<TokenId>()], each);
}

TEST(DataflowVectors, lheft_places_every_token_as_the_reference_does) {
  ASSERT_EQ(vector_cases().size(), 3U);
  for (const VectorCase& one : vector_cases())
    expect_plan(one, "lheft", {.rebalance = false});
}

TEST(DataflowVectors, rebalancing_moves_the_same_tokens) {
  for (const VectorCase& one : vector_cases())
    expect_plan(one, "lheft_rebalanced", {});
}

TEST(DataflowVectors, the_choice_of_the_paper_as_printed_ignores_what_fetching_costs) {
  for (const VectorCase& one : vector_cases())
    expect_plan(one, "lheft_transfer_free_eft", {.weigh_fetches = false, .rebalance = false});
}

TEST(DataflowVectors, heft_ranks_and_places_as_the_reference_does) {
  for (const VectorCase& one : vector_cases()) {
    const auto& told = one.told["heft"];
    const HeftPlan plan = heft(one.graph, one.estimates);
    EXPECT_EQ(plan.length(), told["makespan"]);
    EXPECT_EQ(plan.order, told["order"].get<std::vector<TokenId>>());
    EXPECT_EQ(fetched_bytes(one.graph, one.estimates, plan.mapping()), told["migrated"]);
    EXPECT_EQ(superstep_length(one.graph, one.estimates, plan.mapping()), told["superstep_makespan"]);
    for (const auto& each : told["schedule"]) {
      const Slot& slot = plan.slots[each["task"].get<TokenId>()];
      EXPECT_EQ(slot, (Slot{each["worker"], each["start"], each["finish"]})) << each;
    }
    for (const auto& [task, rank] : told["rank"].items()) {
      const auto sum = static_cast<double>(plan.rank_sums[std::stoul(task)]);
      EXPECT_NEAR(sum / one.estimates.workers(), rank.get<double>(), 1e-9);
    }
  }
}

TEST(DataflowVectors, heft_plans_the_ten_tasks_of_its_paper_in_80) {
  const auto& told = vectors()["ten_tasks"];
  const auto takes = told["cost"].get<std::vector<std::vector<Ticks>>>();
  std::vector<std::vector<StreamId>> inputs(takes.size());
  std::vector<std::vector<StreamId>> outputs(takes.size());
  Estimates estimates;
  for (const auto& edge : told["edges"]) {
    const auto stream = static_cast<StreamId>(estimates.bytes.size());
    outputs[edge[0].get<std::size_t>() - 1].push_back(stream);
    inputs[edge[1].get<std::size_t>() - 1].push_back(stream);
    estimates.bytes.push_back(edge[2]);
  }
  const Structure graph(inputs, outputs, estimates.bytes.size());
  estimates.send.assign(3, Transfer{0, 1'000'000});
  estimates.run = [&](TokenId token, Worker worker) {
    return takes[token][static_cast<std::size_t>(worker)];
  };

  const HeftPlan plan = heft(graph, estimates);
  EXPECT_EQ(plan.length(), told["makespan"]);
  for (TokenId token = 0; token < graph.tokens(); ++token)
    EXPECT_NEAR(static_cast<double>(plan.rank_sums[token]) / 3, told["rank"][token].get<double>(), 6e-4);
}

TEST(DataflowVectors, a_postfix_is_the_least_traffic_that_a_token_can_cause) {
  for (const auto& told : vectors()["rank_postfix"]) {
    std::vector<std::vector<TokenId>> reads(told["inputs"].size());
    auto& last = reads.emplace_back();
    Estimates estimates;
    estimates.send.resize(3);
    StreamIndex index(reads.size());
    for (const auto& input : told["inputs"]) {
      const auto stream = static_cast<StreamId>(estimates.bytes.size());
      last.push_back(stream);
      estimates.bytes.push_back(input["size"]);
      std::vector<std::string> owners;
      if (input["owner"].is_array()) {
        owners = input["owner"].get<std::vector<std::string>>();
      } else {
        owners = {input["owner"].get<std::string>()};
      }
      for (const std::string& owner : owners)
        index.add(stream, owner[0] - 'A');
    }
    estimates.bytes.push_back(0);
    const Structure graph = one_stream_each(reads);
    EXPECT_EQ(planning::postfix_of(graph, index, estimates, static_cast<TokenId>(reads.size() - 1)),
              told["postfix"])
        << told;
  }
}

Ticks nanoseconds(const nlohmann::json& seconds) {
  return std::llround(seconds.get<double>() * 1e9);
}

TEST(DataflowVectors, the_newest_measurement_weighs_most_in_a_prediction) {
  for (const auto& told : vectors()["prediction"]["history"]) {
    Predictor predictor(
        1, 1, {.newest_permille = static_cast<int>(std::lround(told["alpha"].get<double>() * 1000))});
    const auto& history = told["history_newest_first"];
    for (auto each = history.rbegin(); each != history.rend(); ++each)
      predictor.learn(0, 0, nanoseconds((*each)["seconds"]), (*each)["size"]);
    EXPECT_EQ(predictor.predict(0, 0, told["input_size"]), nanoseconds(told["normalised"])) << told;
  }
}

TEST(DataflowVectors, a_worker_without_a_history_is_taken_to_be_like_the_mean_of_the_others) {
  const auto& told = vectors()["prediction"]["unseen_worker"];
  const auto& others = told["per_unit_seconds_of_others"];
  Predictor predictor(1, static_cast<Worker>(others.size()) + 1);
  for (std::size_t i = 0; i < others.size(); ++i)
    predictor.learn(0, static_cast<Worker>(i), nanoseconds(others[i]), 1);
  EXPECT_EQ(predictor.predict(0, static_cast<Worker>(others.size()), told["input_size"]),
            nanoseconds(told["mean"]));
}

TEST(DataflowVectors, as_many_tokens_run_again_after_a_loss_as_the_reference_counts) {
  ASSERT_EQ(vectors()["recovery"].size(), 10U);
  for (const auto& told : vectors()["recovery"]) {
    SCOPED_TRACE(told.dump());
    const auto pieces = told["pieces"].get<std::uint32_t>();
    const auto workers = told["workers"].get<Worker>();
    const auto last = told["last_complete_level"].get<std::size_t>();
    const std::size_t every =
        told["replication_step"].is_null() ? 0 : told["replication_step"].get<std::size_t>();
    const Structure graph = jacobi_shape(pieces, told["levels"]);
    StreamIndex index(graph.streams());
    std::vector<bool> done(graph.tokens());
    for (std::size_t level = 0; level <= last; ++level) {
      for (const TokenId token : graph.level(level)) {
        const auto writer =
            static_cast<Worker>(static_cast<std::uint32_t>(workers) * (token % pieces) / pieces);
        done[token] = true;
        if (told["retain"] == "all" || level == last) index.add(token, writer);
        if (survival::replicated(level, every)) {
          index.add(token, writer);
          index.add(token, survival::keeper_of(writer, workers));
        }
      }
    }
    index.drop_worker(told["failed_worker"].get<Worker>());
    const auto again = survival::tokens_to_redo(graph, index, done);
    EXPECT_EQ(again.size(), told["redo_total"]);
    if (!told.contains("redo_per_level")) continue;
    std::map<std::string, std::size_t> by_level;
    for (const TokenId token : again)
      ++by_level[std::to_string(graph.token(token).level)];
    EXPECT_EQ(nlohmann::json(by_level), told["redo_per_level"]);
  }
}

}  // namespace
}  // namespace lbsp::dataflow::comparison
