#include "model/tuning/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

#include "tests/model/superstep/known_protocol.hpp"
#include "tests/model/tuning/known_path.hpp"

namespace lbsp::model::tuning {
namespace {

UsualTimes& usual() {
  static UsualTimes times(superstep::known_protocol());
  return times;
}

TuningQuestion question(double loss, const ProgramOf& program, std::vector<double> nodes) {
  return {.program = program,
          .paths =
              [loss](double) {
                return std::vector{path(512, loss), path(1400, 1.5 * loss)};
              },
          .nodes = std::move(nodes),
          .usual = usual()};
}

TuningQuestion matrices(double loss, double size = 6000) {
  return question(
      loss, [size](double nodes) { return matmul_program(size, nodes, flops); },
      admissible_nodes(Admissible::squares, 64));
}

TuningQuestion grid(double loss) {
  return question(
      loss,
      [](double nodes) {
        return jacobi_program({20'000, 100}, nodes, flops);
      },
      admissible_nodes(Admissible::any, 40));
}

Setting best_of_all(const TuningQuestion& asked) {
  Setting best;
  best.seconds = INFINITY;
  for (const double nodes : asked.nodes) {
    if (asked.nodes.size() > 20 && static_cast<int>(nodes) % 4 != 0) continue;
    const Program program = asked.program(nodes);
    for (const PacketPath& each : asked.paths(nodes)) {
      for (const int copies : {1, 2, 3, 5, 8}) {
        for (const int repair : {-1, 0, 3, 6, 12, 20, 32, 48}) {
          FixedProtection protection{{.copies = copies}, {.copies = copies}};
          if (repair >= 0) protection.longer = {.repair_segments = repair, .coded = true};
          const Setting setting = evaluate(program, each, protection, asked.usual.protocol());
          if (setting.seconds < best.seconds) best = setting;
        }
      }
    }
  }
  return best;
}

TEST(Tuner, finds_what_trying_everything_finds) {
  for (const double loss : {0.001, 0.02, 0.1}) {
    for (const TuningQuestion& asked : {matrices(loss), grid(loss)}) {
      const Setting best = best_of_all(asked);
      const Tuning tuning = tune(asked);
      EXPECT_LE(tuning.best.seconds, best.seconds * 1.01) << loss;
    }
  }
}

TEST(Tuner, finds_the_best_of_thousands_of_node_counts_without_trying_all) {
  TuningQuestion asked = question(
      0.05,
      [](double nodes) {
        return jacobi_program({100'000, 100}, nodes, flops);
      },
      admissible_nodes(Admissible::any, 2000));
  asked.paths = [](double) { return std::vector{path(1400, 0.05)}; };
  const Tuning tuning = tune(asked);
  for (const double nodes : asked.nodes) {
    if (static_cast<int>(nodes) % 37 != 0) continue;
    const Setting other = best_setting(asked.program(nodes), path(1400, 0.05), {}, asked.usual.protocol());
    EXPECT_LE(tuning.best.seconds, other.seconds * 1.01) << nodes;
  }
}

TEST(Tuner, asks_for_no_redundancy_where_nothing_is_lost) {
  const Tuning tuning = tune(matrices(0));
  EXPECT_EQ(tuning.best.protection.single.copies, 1);
  EXPECT_EQ(tuning.best.protection.longer.repair_segments, 0);
  EXPECT_EQ(tuning.best.losses, 0);
  EXPECT_EQ(tuning.best.packet_bytes, 1400);
}

TEST(Tuner, takes_one_node_where_more_only_talk) {
  const Tuning tuning = tune(matrices(0.3, 300));
  EXPECT_EQ(tuning.best.nodes, 1);
  EXPECT_EQ(tuning.best.speedup, 1);
  EXPECT_EQ(tuning.best.communication, 0);
  EXPECT_FALSE(tuning.at_limit);
}

TEST(Tuner, shows_the_settings_beside_the_best_and_no_nodes_or_packets_are_better) {
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

TEST(Tuner, shows_one_more_and_one_less_of_nodes_and_copies) {
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

TEST(Tuner, shows_a_coded_segment_or_a_copy_of_longer_messages_more_and_less) {
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

TEST(Tuner, finds_the_one_good_number_of_nodes_below_64) {
  for (const double good : {38., 39.}) {
    const Tuning tuning = tune(question(
        0.02,
        [good](double nodes) {
          return own_program(
              {.work_seconds = 10, .supersteps = nodes == good ? 1. : 1000., .message_bytes = 1000}, nodes);
        },
        admissible_nodes(Admissible::any, 64)));
    EXPECT_EQ(tuning.best.nodes, good);
  }
}

TEST(Tuner, names_the_best_of_other_numbers_of_nodes_that_stand_out) {
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

TEST(Tuner, says_between_which_nodes_the_optimum_is_flat) {
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

TEST(Tuner, says_when_the_limit_of_nodes_stops_it) {
  EXPECT_TRUE(tune(matrices(0.01, 20000)).at_limit);
}

TEST(Tuner, doubts_fragments_and_losses_that_come_together) {
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

TEST(Tuner, looks_at_the_largest_number_of_nodes_too) {
  const Tuning tuning = tune(question(
      0.02,
      [](double nodes) {
        return own_program({.work_seconds = 1e6, .supersteps = 1, .message_bytes = 100, .destinations = 1},
                           nodes);
      },
      admissible_nodes(Admissible::any, 1301)));
  EXPECT_EQ(tuning.best.nodes, 1301);
  EXPECT_TRUE(tuning.at_limit);
}

TEST(Tuner, of_one_node_has_no_packets_to_compare) {
  const Tuning tuning = tune(matrices(0.3, 20));
  ASSERT_EQ(tuning.best.nodes, 1);
  ASSERT_EQ(tuning.neighbours.size(), 1U);
  EXPECT_EQ(tuning.neighbours.front().change, "nodes");
  EXPECT_EQ(tuning.neighbours.front().setting.nodes, 4);
}

TEST(Tuner, of_packet_sizes_that_do_not_matter_takes_the_smallest) {
  TuningQuestion asked = matrices(0);
  asked.program = [](double nodes) {
    return own_program({.work_seconds = 10, .supersteps = 2, .message_bytes = 10}, nodes);
  };
  for (std::vector<double> sizes : {std::vector{512., 1024., 1400.}, std::vector{600., 9000.}}) {
    asked.paths = [sizes](double) {
      std::vector<PacketPath> paths;
      for (const double size : sizes)
        paths.push_back(path(size, 0));
      return paths;
    };
    EXPECT_EQ(tune(asked).best.packet_bytes, sizes.front());
  }
}

TEST(Tuner, needs_something_to_choose_from) {
  TuningQuestion asked = matrices(0.05);
  asked.nodes.clear();
  EXPECT_THROW(tune(asked), std::invalid_argument);
  TuningQuestion without_packets = matrices(0.05);
  without_packets.paths = [](double) { return std::vector<PacketPath>{}; };
  EXPECT_THROW(tune(without_packets), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::tuning
