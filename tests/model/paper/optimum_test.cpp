#include "model/paper/optimum.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

#include "model/paper/conceptual.hpp"

namespace lbsp::model::paper {
namespace {

using enum PacketsPerSuperstep;

Question planet(PacketsPerSuperstep packets, double loss = 0.1, double hours = 10) {
  return {hours * 3600, packets, {loss, 65536 / 17.5e6, 0.069}, Scheme::rounds, Concept::lbsp};
}

TEST(Optimum, has_the_best_copies_worked_out_for_ten_hours_on_many_nodes) {
  EXPECT_EQ(best_copies(planet(n), 131072).best.copies, 7);
  EXPECT_EQ(best_copies(planet(n_log2), 131072).best.copies, 8);
  EXPECT_EQ(best_copies(planet(n_squared), 131072).best.copies, 6);
  EXPECT_EQ(best_copies(planet(n_squared, 0.0005), 1024).best.copies, 1);
}

TEST(Optimum, of_copies_knows_the_other_local_maxima) {
  const Optimum found = best_copies(planet(n_squared), 1024);
  std::vector<int> maxima{found.best.copies};
  for (const Choice& choice : found.runners_up)
    maxima.push_back(choice.copies);
  std::ranges::sort(maxima);
  EXPECT_EQ(maxima, (std::vector<int>{2, 4, 8}));
}

TEST(Optimum, of_copies_is_no_worse_than_any_number_of_them) {
  for (const double loss : {0.001, 0.05, 0.3, 0.7})
    for (const PacketsPerSuperstep kind : all_packets_per_superstep) {
      const Optimum found = best_copies(planet(kind, loss), 500);
      for (int copies = 1; copies <= 80; ++copies)
        EXPECT_LE(evaluate(planet(kind, loss), copies, 500).speedup, found.best.speedup * (1 + 2e-6));
    }
}

TEST(Optimum, of_copies_shows_its_neighbours_in_order) {
  const Optimum found = best_copies(planet(n), 131072);
  ASSERT_EQ(found.neighbours.size(), 4);
  EXPECT_EQ(found.neighbours[0].copies, 5);
  EXPECT_EQ(found.neighbours[1].copies, 6);
  EXPECT_EQ(found.neighbours[2].copies, 8);
  EXPECT_EQ(found.neighbours[3].copies, 9);
  for (const Choice& choice : found.neighbours)
    EXPECT_LE(choice.speedup, found.best.speedup);
}

TEST(Optimum, of_hundreds_of_thousands_of_nodes_is_the_top) {
  const Question question{14400, n_squared, {0.05, 1e-9, 0}};
  const Choice best = best_nodes(question, 1).best;
  EXPECT_GT(best.nodes, 5e5);
  for (const double away : {-100., -50., 50., 100.})
    EXPECT_LT(evaluate(question, 1, best.nodes + away).speedup, best.speedup) << away;
}

TEST(Optimum, of_nodes_is_as_flat_as_it_says) {
  for (const double hours : {0.02, 0.03, 0.04}) {
    const Question question = planet(n_squared, 0.05, hours);
    const Optimum found = best_nodes(question, 2);
    const double enough = 0.99 * found.best.speedup;
    ASSERT_LT(found.flat_to.nodes, 1024);
    ASSERT_GT(found.flat_from.nodes, 1);
    for (const Choice& end : {found.flat_from, found.flat_to}) {
      EXPECT_GE(end.speedup, enough);
      const double beyond = end.nodes + (end.nodes < found.best.nodes ? -1 : 1);
      EXPECT_LT(evaluate(question, 2, beyond).speedup, enough) << end.nodes;
    }
  }
}

TEST(Optimum, is_one_node_where_others_only_cost_time) {
  const Choice best = best_nodes(planet(n_squared, 0.1, 1e-6), 1).best;
  EXPECT_EQ(best.nodes, 1);
  EXPECT_EQ(best.speedup, 1);
}

TEST(Optimum, of_nodes_shows_half_one_fewer_one_more_and_twice_as_many) {
  const Optimum found = best_nodes(planet(n_squared), 3);
  ASSERT_EQ(found.neighbours.size(), 4U);
  EXPECT_EQ(found.neighbours[0].nodes, std::floor(found.best.nodes / 2));
  EXPECT_EQ(found.neighbours[1].nodes, found.best.nodes - 1);
  EXPECT_EQ(found.neighbours[2].nodes, found.best.nodes + 1);
  EXPECT_EQ(found.neighbours[3].nodes, 2 * found.best.nodes);
}

TEST(Optimum, of_two_nodes_has_one_beside_it) {
  const Optimum found = best_nodes(planet(n_squared), 3, 2);
  ASSERT_EQ(found.best.nodes, 2);
  ASSERT_EQ(found.neighbours.size(), 1U) << "half, and one fewer";
  EXPECT_EQ(found.neighbours.front().nodes, 1);
}

TEST(Optimum, of_nodes_is_flat_as_far_as_one_percent) {
  const Optimum found = best_nodes(planet(n_squared), 3);
  EXPECT_LT(found.flat_from.nodes, found.best.nodes);
  EXPECT_GT(found.flat_to.nodes, found.best.nodes);
  for (const Choice& end : {found.flat_from, found.flat_to}) {
    EXPECT_GE(end.speedup, 0.99 * found.best.speedup);
    EXPECT_LT(end.speedup, 0.995 * found.best.speedup);
  }
}

TEST(Optimum, is_flat_as_far_as_one_percent) {
  const Question question = planet(n);
  const Optimum found = best_copies(question, 131072);
  EXPECT_GE(found.flat_from.speedup, 0.99 * found.best.speedup);
  EXPECT_LT(evaluate(question, found.flat_from.copies - 1, 131072).speedup, 0.99 * found.best.speedup);
  EXPECT_LT(evaluate(question, found.flat_to.copies + 1, 131072).speedup, 0.99 * found.best.speedup);
}

TEST(Optimum, of_nodes_is_what_trying_every_number_finds) {
  for (const double loss : {0.001, 0.1})
    for (const int copies : {1, 3})
      for (const PacketsPerSuperstep kind : {n, n_log2, n_squared}) {
        const Question question = planet(kind, loss, 0.05);
        Choice best;
        for (double nodes = 1; nodes <= 6000; ++nodes)
          if (const Choice here = evaluate(question, copies, nodes); here.speedup > best.speedup) best = here;
        const Optimum found = best_nodes(question, copies, 6000);
        EXPECT_GE(found.best.speedup, best.speedup * (1 - 1e-12)) << name_of(kind) << loss << copies;
        EXPECT_EQ(found.best.nodes, best.nodes) << name_of(kind) << loss << copies;
      }
}

TEST(Optimum, of_nodes_names_no_number_twice) {
  const Optimum rising = best_nodes(planet(one), 3, 5000);
  EXPECT_TRUE(rising.runners_up.empty());
}

TEST(Optimum, of_nodes_says_when_more_nodes_would_still_help) {
  EXPECT_TRUE(best_nodes(planet(one), 3, 5000).at_limit);
  EXPECT_EQ(best_nodes(planet(one), 3, 5000).best.nodes, 5000);
  EXPECT_FALSE(best_nodes(planet(n_squared), 3, 5000).at_limit);
}

TEST(Optimum, of_both_is_no_worse_than_any_pair_tried) {
  const Question question = planet(n_squared);
  const Optimum found = best_copies_and_nodes(question);
  for (int copies = 1; copies <= 12; ++copies)
    EXPECT_LE(best_nodes(question, copies).best.speedup, found.best.speedup * (1 + 1e-12)) << copies;
}

TEST(Optimum, without_communication_costs_is_the_closed_form) {
  Question question = planet(n_log2, 0.14);
  question.model = Concept::communication_free;
  EXPECT_EQ(best_nodes(question, 3).best.nodes, 29);
  EXPECT_EQ(best_nodes(question, 3, 20).best.nodes, 20);
  EXPECT_THROW(best_copies_and_nodes(question), std::invalid_argument);
  question.packets = one;
  EXPECT_THROW(best_nodes(question, 3), std::invalid_argument);
  EXPECT_EQ(best_nodes(question, 3, 100).best.nodes, 100);
  EXPECT_TRUE(best_nodes(question, 3, 100).at_limit);
}

TEST(Optimum, without_communication_costs_is_flat_to_the_whole_number_of_nodes) {
  Question question = planet(n, 0.1);
  question.model = Concept::communication_free;
  const Optimum found = best_nodes(question, 3);
  const auto share = [&](double nodes) { return evaluate(question, 3, nodes).speedup / found.best.speedup; };
  EXPECT_GE(share(found.flat_from.nodes), 0.99);
  EXPECT_LT(share(found.flat_from.nodes - 1), 0.99);
  EXPECT_GE(share(found.flat_to.nodes), 0.99);
  EXPECT_LT(share(found.flat_to.nodes + 1), 0.99);
  EXPECT_EQ(best_nodes(question, 3, found.best.nodes + 2).flat_to.nodes, found.best.nodes + 2);
}

TEST(Optimum, without_communication_costs_takes_no_more_copies_than_a_millionth_asks_for) {
  Question question = planet(n, 0.1);
  question.model = Concept::communication_free;
  const int copies = best_copies(question, 64).best.copies;
  EXPECT_GE(conceptual::speedup(n, 64, 0.1, copies), 64 * (1 - 1e-6));
  EXPECT_LT(conceptual::speedup(n, 64, 0.1, copies - 1), 64 * (1 - 1e-6));
}

TEST(Optimum, of_one_node_or_no_loss_needs_one_copy) {
  EXPECT_EQ(best_copies(planet(n_squared), 1).best.copies, 1);
  EXPECT_EQ(best_copies(planet(n_squared, 0), 64).best.copies, 1);
}

TEST(Optimum, refuses_impossible_input) {
  EXPECT_THROW(best_copies(planet(n), 0), std::invalid_argument);
  EXPECT_THROW(best_copies(planet(n, 1), 2), std::invalid_argument);
  EXPECT_THROW(best_nodes(planet(n), 0), std::invalid_argument);
  EXPECT_THROW(best_nodes(planet(n), 1, 0), std::invalid_argument);
  EXPECT_THROW(best_nodes(planet(n, 0.1, 0), 1), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::paper
