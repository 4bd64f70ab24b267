#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

#include "gtest/gtest.h"

#include "gmock/gmock.h"
#include "model/critical_path/graph.hpp"
#include "model/critical_path/supersteps.hpp"
#include "tests/model/csv.hpp"

namespace lbsp::model::critical_path {
namespace {

using ::testing::ElementsAre;

const MessageCost straight = MessageCost::linear(0.002, 1e-7);
const std::vector<MeasuredMessage> four_points{{0, 0.002}, {2e5, 0.030}, {5e5, 0.060}, {1e6, 0.110}};

enum Named : std::size_t { a1, c1, a2, c2, a3, a4, c3, a5, c4, a6 };

/// Ten arcs on three ranks: rank 0 sends to both others, and waits for both.
Graph ten_arcs() {
  return {9,
          {{0, 1, Kind::compute, 0.50, 0},
           {1, 4, Kind::message, 1e6, 0},
           {1, 2, Kind::compute, 0.30, 0},
           {2, 6, Kind::message, 5e5, 0},
           {2, 3, Kind::compute, 0.60, 0},
           {4, 5, Kind::compute, 1.00, 1},
           {5, 3, Kind::message, 2e5, 1},
           {6, 7, Kind::compute, 0.90, 2},
           {7, 3, Kind::message, 5e5, 2},
           {3, 8, Kind::compute, 0.40, 0}}};
}

LongestPath path_of(const MessageCost& cost, const std::vector<double>& shares = {}) {
  return longest_path(ten_arcs(), durations(ten_arcs(), cost, SystemShare(shares)));
}

TEST(CriticalPath, is_the_references_of_ten_arcs) {
  const LongestPath got = path_of(straight);
  EXPECT_NEAR(got.seconds, 2.204, 1e-14);
  const std::array times{0.0, 0.5, 0.8, 1.804, 0.602, 1.602, 0.852, 1.752, 2.204};
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(got.times[i], times[i], 1e-14) << i;
  EXPECT_THAT(got.arcs, ElementsAre(a1, a2, c2, a5, c4, a6));
}

TEST(CriticalPath, is_corrected_for_the_systems_share_which_can_move_it) {
  const LongestPath all = path_of(straight, {0.2});
  EXPECT_NEAR(all.seconds, 2.729, 1e-14);
  EXPECT_THAT(all.arcs, ElementsAre(a1, a2, c2, a5, c4, a6));
  const LongestPath one = path_of(straight, {0, 0.3, 0});
  EXPECT_NEAR(one.seconds, 2.452571428571429, 1e-14);
  EXPECT_THAT(one.arcs, ElementsAre(a1, c1, a4, c3, a6));
}

TEST(CriticalPath, takes_a_polynomial_through_measured_messages) {
  const MessageCost cost = MessageCost::lagrange(four_points);
  EXPECT_NEAR(cost.seconds(250000), 0.03575, 1e-15);
  EXPECT_NEAR(cost.seconds(750000), 0.08225, 1e-15);
  EXPECT_NEAR(path_of(cost).seconds, 2.220, 1e-14);
  EXPECT_NEAR(path_of(cost, {0.2}).seconds, 2.745, 1e-14);
}

TEST(CriticalPath, tells_how_much_longer_each_arc_may_take) {
  const LongestPath got = path_of(straight);
  const std::array slack{0.0, 0.18, 0.0, 0.0, 0.404, 0.18, 0.18, 0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < slack.size(); ++i) {
    EXPECT_NEAR(got.slack[i], slack[i], 1e-14) << i;
    std::vector<double> longer = durations(ten_arcs(), straight);
    longer[i] += slack[i] + 0.01;
    EXPECT_NEAR(longest_path(ten_arcs(), longer).seconds, 2.214, 1e-13) << i;
  }
  const std::vector<double> ranks = slack_of_ranks(ten_arcs(), got);
  ASSERT_EQ(ranks.size(), 3);
  EXPECT_EQ(ranks[0], 0);
  EXPECT_NEAR(ranks[1], 0.18, 1e-14);
  EXPECT_EQ(ranks[2], 0);
}

TEST(CriticalPath, refuses_graphs_that_are_none) {
  Graph graph{2, {{0, 1, Kind::sync, 1, 0}, {1, 0, Kind::sync, 1, 0}}};
  EXPECT_THROW(longest_path(graph, durations(graph, straight)), std::invalid_argument);
  graph = {2, {{0, 2, Kind::sync, 1, 0}}};
  EXPECT_THROW(longest_path(graph, durations(graph, straight)), std::invalid_argument);
  graph = {2, {{0, 1, Kind::compute, -1, 0}}};
  EXPECT_THROW(durations(graph, straight), std::invalid_argument);
  graph = {2, {{0, 1, Kind::compute, 1, 5}}};
  EXPECT_THROW(durations(graph, straight, SystemShare({0.1, 0.1})), std::invalid_argument);
  EXPECT_THROW(SystemShare({1}), std::invalid_argument);
  EXPECT_THROW(SystemShare({-0.1}), std::invalid_argument);
  EXPECT_EQ(longest_path({}, {}).seconds, 0);
}

TEST(MessageCost, is_the_references_straight_line_by_least_squares) {
  const MessageCost got = MessageCost::fitted(
      std::array<MeasuredMessage, 5>{{{1e3, .0021}, {1e4, .0031}, {1e5, .0118}, {5e5, .0522}, {1e6, .1019}}});
  EXPECT_TRUE(close(got.startup_seconds(), 0.00200826112819, 1e-11)) << got.startup_seconds();
  EXPECT_TRUE(close(got.seconds_per_byte(), 9.99743602477e-8, 1e-11)) << got.seconds_per_byte();
}

TEST(MessageCost, refuses_what_was_not_measured_and_times_below_zero) {
  const MessageCost cost = MessageCost::lagrange(four_points);
  EXPECT_THROW(cost.seconds(1.1e6), std::invalid_argument);
  EXPECT_THROW(MessageCost::lagrange({{1, 1}, {2, 0}, {4, 1}}).seconds(2.5), std::invalid_argument);
  EXPECT_THROW(MessageCost::lagrange({{1, 1}, {1, 2}}), std::invalid_argument);
  EXPECT_THROW(MessageCost::lagrange({}), std::invalid_argument);
  EXPECT_THROW(MessageCost::lagrange({{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}}),
               std::invalid_argument);
  EXPECT_THROW(MessageCost::linear(NAN, 1), std::invalid_argument);
  EXPECT_THROW(MessageCost::linear(-1, 1e-6).seconds(10), std::invalid_argument);
  EXPECT_THROW(straight.seconds(-1), std::invalid_argument);
  EXPECT_THROW(MessageCost::fitted(std::array{MeasuredMessage{5, 1}, MeasuredMessage{5, 2}}),
               std::invalid_argument);
}

std::vector<Superstep> three_supersteps() {
  return {{{.30, .20, .25}, {{0, 1, 4e5}, {1, 2, 1e5}, {2, 0, 3e5}, {2, 1, 5e5}}},
          {{.10, .30, .20}, {{1, 0, 2e5}, {1, 2, 8e5}}},
          {{.20, .10, .15}, {}}};
}

struct Expected {
  Closing closing;
  Ports ports;
  double seconds;
  std::array<double, 3> second, third;
};

TEST(SuperstepPath, is_the_references_of_three_supersteps) {
  const std::array expected{
      Expected{Closing::exchange, Ports::parallel, 0.876, {.300, .342, .302}, {.664, .642, .724}},
      Expected{Closing::exchange, Ports::serial, 0.946, {.300, .342, .302}, {.744, .642, .724}},
      Expected{Closing::barrier, Ports::parallel, 0.924, {.342, .342, .342}, {.724, .724, .724}},
      Expected{Closing::barrier, Ports::serial, 0.944, {.342, .342, .342}, {.744, .744, .744}}};
  for (const Expected& row : expected) {
    const Estimate got = estimate(three_supersteps(), {straight, row.closing, row.ports});
    EXPECT_NEAR(got.seconds, row.seconds, 1e-14);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_NEAR(got.start(1, rank), row.second[rank], 1e-14);
      EXPECT_NEAR(got.start(2, rank), row.third[rank], 1e-14);
    }
  }
}

TEST(SuperstepPath, names_who_computed_and_who_was_waited_for) {
  const Estimate got = estimate(three_supersteps(), {straight});
  ASSERT_EQ(got.path.size(), 6);
  double sum = 0;
  for (const Stretch& stretch : got.path)
    sum += stretch.seconds;
  EXPECT_NEAR(sum, got.seconds, 1e-14);
  // Rank 0 computes for 0.3 s and rank 1 waits for its message; then rank 2 for rank 1's, and all for rank 2.
  const std::array ranks{0, 0, 1, 1, 2, 2};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    EXPECT_EQ(got.path[i].rank, ranks[i]);
    EXPECT_EQ(got.path[i].superstep, i / 2);
    EXPECT_EQ(got.path[i].kind, i % 2 == 0 ? Kind::compute : Kind::message);
  }
  EXPECT_THAT(got.slack, ElementsAre(0, 0, 0));
}

std::vector<Superstep> random_supersteps(std::mt19937& random, std::size_t ranks, std::size_t count) {
  std::vector<Superstep> out(count);
  for (Superstep& superstep : out) {
    for (std::size_t i = 0; i < ranks; ++i)
      superstep.cpu.push_back(static_cast<double>(random() % 1000) / 1000);
    for (std::size_t i = 0; i < ranks; ++i)
      for (std::size_t j = 0; j < ranks; ++j)
        if (i != j && random() % 2 == 0)
          superstep.messages.push_back({i, j, static_cast<double>(random() % 900000)});
  }
  return out;
}

TEST(SuperstepPath, is_the_longest_path_of_its_graph_over_many_seeds) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    const std::size_t ranks = 1 + random() % 5;
    const auto supersteps = random_supersteps(random, ranks, 1 + random() % 6);
    for (const Closing closing : {Closing::exchange, Closing::barrier})
      for (const Ports ports : {Ports::parallel, Ports::serial}) {
        const Rules rules{straight, closing, ports, 0.03, SystemShare({0.1})};
        const Estimate got = estimate(supersteps, rules);
        const Graph graph = graph_of(supersteps, rules);
        const LongestPath path = longest_path(graph, durations(graph, rules.cost, rules.share));
        ASSERT_NEAR(got.seconds, path.seconds, 1e-12) << seed;
        const std::vector<double> slack = slack_of_ranks(graph, path);
        ASSERT_EQ(slack.size(), ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank)
          ASSERT_NEAR(got.slack[rank], slack[rank], 1e-12) << seed << " rank " << rank;
        double sum = 0;
        for (const Stretch& stretch : got.path)
          sum += stretch.seconds;
        ASSERT_NEAR(sum, got.seconds, 1e-12) << seed;
      }
  }
}

TEST(SuperstepPath, is_never_longer_by_exchange_than_by_barriers_that_cost_an_empty_message) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    const auto supersteps = random_supersteps(random, 4, 8);
    for (const Ports ports : {Ports::parallel, Ports::serial})
      EXPECT_LE(
          estimate(supersteps, {straight, Closing::exchange, ports}).seconds,
          estimate(supersteps, {straight, Closing::barrier, ports, straight.seconds(0)}).seconds + 1e-12);
  }
}

TEST(SuperstepPath, refuses_supersteps_that_cannot_be) {
  const auto refused = [](const std::vector<Superstep>& supersteps) {
    EXPECT_THROW(estimate(supersteps, {straight}), std::invalid_argument);
    EXPECT_THROW(graph_of(supersteps, {straight}), std::invalid_argument);
  };
  refused({{{1, 1}, {}}, {{1}, {}}});
  refused({{{1, 1}, {{0, 2, 5}}}});
  refused({{{1, 1}, {{1, 1, 5}}}});
  refused({{{1, 1}, {{0, 1, 5}, {0, 1, 6}}}});
  refused({{{1, 1}, {{0, 1, -5}}}});
  EXPECT_THROW(estimate(std::vector<Superstep>{{{-1, 1}, {}}}, {straight}), std::invalid_argument);
  EXPECT_THROW(estimate(std::vector<Superstep>{{{NAN}, {}}}, {straight}), std::invalid_argument);
  EXPECT_EQ(estimate({}, {straight}).seconds, 0);
}

}  // namespace
}  // namespace lbsp::model::critical_path
