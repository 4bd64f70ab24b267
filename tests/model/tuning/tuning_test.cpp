// What an answer says beside the best setting.
#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/model/tuning/known_question.hpp"

namespace lbsp::model::tuning {
namespace {

TEST(Tuning, shows_the_settings_beside_the_best_and_no_nodes_or_packets_are_better) {
  for (const TuningQuestion& asked : {matrices(0.05, 20000), grid(0.05)}) {
    const Tuning tuning = tune(asked);
    ASSERT_GT(tuning.best.nodes, 1);
    int changes = 0;
    for (const char* change : {"copies", "repair", "nodes", "packet_size"})
      changes +=
          std::ranges::any_of(tuning.neighbours, [&](const Neighbour& n) { return n.change == change; });
    EXPECT_EQ(changes, 4);
    // Of protections that are about as good the one that sends least is taken.
    for (const Neighbour& neighbour : tuning.neighbours) {
      const bool is_protection = neighbour.change == "copies" || neighbour.change == "repair";
      EXPECT_GE(neighbour.setting.seconds, tuning.best.seconds * (is_protection ? 0.99 : 1))
          << neighbour.change;
    }
    for (const Setting& setting : tuning.runners_up)
      EXPECT_GE(setting.seconds, tuning.best.seconds);
  }
}

TEST(Tuning, shows_one_more_and_one_less_of_nodes_and_copies) {
  bool single_copy = false;
  bool several = false;
  for (const double loss : {1e-6, 0.0005, 0.005, 0.05, 0.2}) {
    const TuningQuestion asked =
        question(loss,
                 [](double nodes) {
                   return own_program({.work_seconds = 10, .supersteps = 100, .message_bytes = 100}, nodes);
                 },
                 {2, 3, 5, 8, 13, 21});
    const Tuning tuning = tune(asked);
    std::vector<double> nodes;
    std::vector<int> copies;
    for (const Neighbour& each : tuning.neighbours) {
      if (each.change == std::string("nodes")) nodes.push_back(each.setting.nodes);
      if (each.change == std::string("copies")) copies.push_back(each.setting.protection.single.copies);
    }
    const auto place = std::ranges::find(asked.nodes, tuning.best.nodes);
    std::vector<double> beside;
    if (place != asked.nodes.begin()) beside.push_back(*(place - 1));
    if (place + 1 != asked.nodes.end()) beside.push_back(*(place + 1));
    EXPECT_EQ(nodes, beside) << loss;
    const int best = tuning.best.protection.single.copies;
    EXPECT_EQ(copies, best == 1 ? std::vector{2} : (std::vector{best - 1, best + 1})) << loss;
    (best == 1 ? single_copy : several) = true;
  }
  EXPECT_TRUE(single_copy && several);
}

TEST(Tuning, shows_a_coded_segment_or_a_copy_of_longer_messages_more_and_less) {
  bool coded = false;
  bool copied = false;
  for (const double loss : {0.1, 0.5}) {
    TuningQuestion asked =
        question(loss,
                 [](double nodes) {
                   return own_program({.work_seconds = 10, .supersteps = 10, .message_bytes = 2000}, nodes);
                 },
                 {64});
    asked.paths = [loss](double) { return std::vector{path(1400, loss)}; };
    const Tuning tuning = tune(asked);
    ASSERT_TRUE(tuning.best.has_longer());
    const superstep::Protection& best = tuning.best.protection.longer;
    std::vector<int> amounts;
    for (const Neighbour& each : tuning.neighbours) {
      const superstep::Protection& longer = each.setting.protection.longer;
      if (longer.coded != best.coded || each.setting.protection.single != tuning.best.protection.single)
        continue;
      if (each.change == "repair" && best.coded)
        amounts.push_back(longer.repair_segments - best.repair_segments);
      if (each.change == "copies" && !best.coded) amounts.push_back(longer.copies - best.copies);
    }
    const bool most = best.copies == asked.usual.protocol().limits.copies;
    EXPECT_EQ(amounts, most ? std::vector{-1} : (std::vector{-1, 1})) << loss;
    (best.coded ? coded : copied) = true;
  }
  EXPECT_TRUE(coded && copied);
}

TEST(Tuning, names_the_best_of_other_numbers_of_nodes_that_stand_out) {
  // Cheap supersteps on two nodes, dear ones on three to seven, cheap and faster ones from eight on.
  TuningQuestion asked = question(
      0.02,
      [](double nodes) {
        const bool dear = nodes > 2 && nodes < 8;
        return own_program({.work_seconds = 10, .supersteps = dear ? 500. : 1., .message_bytes = 1000},
                           nodes);
      },
      admissible_nodes(Admissible::any, 8));
  const Tuning tuning = tune(asked);
  EXPECT_EQ(tuning.best.nodes, 8);
  ASSERT_EQ(tuning.runners_up.size(), 1U);
  EXPECT_EQ(tuning.runners_up.front().nodes, 2);
  asked.nodes = {1, 2, 3};
  const Tuning between = tune(asked);
  ASSERT_EQ(between.best.nodes, 2);
  EXPECT_EQ(between.neighbours[0].setting.nodes, 1);
  EXPECT_EQ(between.neighbours[1].setting.nodes, 3);
}

TEST(Tuning, names_three_others_that_stand_out_at_most) {
  const Tuning tuning = tune(question(
      0.02,
      [](double nodes) {
        const bool dear = static_cast<int>(nodes) % 3 != 0;
        return own_program({.work_seconds = 10, .supersteps = dear ? 500. : 1., .message_bytes = 1000},
                           nodes);
      },
      admissible_nodes(Admissible::any, 20)));
  EXPECT_EQ(tuning.best.nodes, 18);
  std::vector<double> others;
  for (const Setting& each : tuning.runners_up)
    others.push_back(each.nodes);
  EXPECT_EQ(others, (std::vector<double>{15, 12, 9}));
}

TEST(Tuning, says_between_which_nodes_the_optimum_is_flat) {
  const Tuning tuning = tune(grid(0.05));
  EXPECT_LE(tuning.flat_from, tuning.best.nodes);
  EXPECT_GE(tuning.flat_to, tuning.best.nodes);
  EXPECT_LT(tuning.flat_from, tuning.flat_to);
  // Work for 40 nodes, and a superstep that costs as much as it saves from there on.
  const auto program = [](double nodes) {
    const double superfluous = std::max(0., nodes - 40);
    return own_program(
        {.work_seconds = 10 * nodes, .supersteps = 1 + superfluous, .message_bytes = 10, .destinations = 1},
        nodes);
  };
  TuningQuestion still = question(0, program, {});
  for (double nodes = 30; nodes <= 60; ++nodes)
    still.nodes.push_back(nodes);
  const Tuning until = tune(still);
  for (const double end : {until.flat_from, until.flat_to}) {
    const double seconds = usual().of(still.program(end), still.paths(end)[1]);
    EXPECT_LE(seconds, 1.011 * until.best.seconds) << end;
  }
  EXPECT_EQ(until.flat_from, 30);
  EXPECT_GT(until.flat_to, 40);
  EXPECT_LT(until.flat_to, 60);
}

TEST(Tuning, says_when_the_limit_of_nodes_stops_it) {
  EXPECT_TRUE(tune(matrices(0.01, 20000)).at_limit);
}

TEST(Tuning, doubts_fragments_and_losses_that_come_together) {
  TuningQuestion asked = matrices(0.05, 20000);
  asked.paths = [](double) {
    PacketPath only = path(4000, 0.05, true);
    only.path.loss_after_loss = 0.5;
    return std::vector{only};
  };
  const Tuning tuning = tune(asked);
  const auto doubted = [&](const char* subject) {
    return std::ranges::any_of(
        tuning.doubts, [&](const std::string& doubt) { return doubt.find(subject) != std::string::npos; });
  };
  EXPECT_TRUE(doubted("fragment"));
  EXPECT_TRUE(doubted("independent losses"));
}

TEST(Tuning, of_one_node_has_no_packets_to_compare) {
  const Tuning tuning = tune(matrices(0.3, 20));
  ASSERT_EQ(tuning.best.nodes, 1);
  ASSERT_EQ(tuning.neighbours.size(), 1U);
  EXPECT_EQ(tuning.neighbours.front().change, "nodes");
  EXPECT_EQ(tuning.neighbours.front().setting.nodes, 4);
}

}  // namespace
}  // namespace lbsp::model::tuning
