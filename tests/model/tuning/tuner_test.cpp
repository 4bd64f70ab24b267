#include "model/tuning/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

#include "tests/model/superstep/known_protocol.hpp"

namespace lbsp::model::tuning {
namespace {

constexpr double flops = 1e10;

PacketPath path(double packet_bytes, double loss, bool fragmented = false) {
  return {.packet_bytes = packet_bytes,
          .bandwidth = 12.5e6,
          .fragmented = fragmented,
          .path = {.round_trip = 0.05, .loss = loss}};
}

TuningQuestion question(double loss, const ProgramOf& program, std::vector<double> nodes) {
  return {.program = program,
          .paths =
              [loss](double) {
                return std::vector{path(512, loss), path(1400, 1.5 * loss)};
              },
          .nodes = std::move(nodes),
          .protocol = superstep::known_protocol()};
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
          const Setting setting = evaluate(program, each, protection, asked.protocol);
          if (setting.seconds < best.seconds) best = setting;
        }
      }
    }
  }
  return best;
}

TEST(AdmissibleNodes, are_squares_for_a_grid_powers_of_two_for_a_network_of_merges_and_any_for_rows) {
  EXPECT_EQ(admissible_nodes(Admissible::squares, 20), (std::vector<double>{1, 4, 9, 16}));
  EXPECT_EQ(admissible_nodes(Admissible::powers_of_two, 9), (std::vector<double>{1, 2, 4, 8}));
  EXPECT_EQ(admissible_nodes(Admissible::any, 3), (std::vector<double>{1, 2, 3}));
}

TEST(Program, sends_what_the_ready_programs_send) {
  const Program matmul = matmul_program(1000, 16, flops);
  EXPECT_EQ(matmul.supersteps, 1);
  EXPECT_EQ(matmul.destinations, 6);
  EXPECT_EQ(matmul.message_bytes, 8 * 1e6 / 16);
  EXPECT_DOUBLE_EQ(matmul.parallel_seconds, 2e9 / flops / 16);

  const Program sort = bitonic_sort_program(1 << 20, 8, 1e8);
  EXPECT_EQ(sort.supersteps, 6);
  EXPECT_EQ(sort.destinations, 1);
  EXPECT_EQ(sort.message_bytes, 8 << 17);

  const Program fft = fft2d_program(1024, 4, flops);
  EXPECT_EQ(fft.supersteps, 2);
  EXPECT_EQ(fft.destinations, 3);
  EXPECT_EQ(fft.message_bytes, 16 * 1024 * 1024 / 16);

  const Program jacobi = jacobi_program({102, 50}, 5, flops);
  EXPECT_EQ(jacobi.supersteps, 50);
  EXPECT_EQ(jacobi.destinations, 2);
  EXPECT_EQ(jacobi_program({102, 50}, 2, flops).destinations, 1);
  EXPECT_EQ(jacobi.message_bytes, 8 * 102);
  EXPECT_DOUBLE_EQ(jacobi.sequential_seconds, 5 * 50 * 1e4 / flops);

  EXPECT_EQ(jacobi_program({102, 50}, 1, flops).supersteps, 0);
}

TEST(Program, with_a_deep_halo_sends_seldom_and_computes_its_neighbours_rows_itself) {
  const Program plain = jacobi_program({102, 50}, 5, flops);
  const Program deep = jacobi_program({102, 50, 8}, 5, flops);
  EXPECT_EQ(deep.supersteps, 7);
  EXPECT_EQ(deep.destinations, 2);
  EXPECT_EQ(deep.message_bytes, 8 * plain.message_bytes);
  // 20 rows of its own and, in 8 sweeps, 7 + 6 + … + 0 more at each edge.
  EXPECT_NEAR(deep.parallel_seconds / plain.parallel_seconds, (20 + 7) / 20., 1e-12);
  EXPECT_EQ(deep.sequential_seconds, plain.sequential_seconds);

  const Program deeper_than_blocks = jacobi_program({102, 50, 30}, 5, flops);
  EXPECT_EQ(deeper_than_blocks.destinations, 4);
  EXPECT_EQ(deeper_than_blocks.message_bytes, 20 * plain.message_bytes);
  EXPECT_EQ(jacobi_program({102, 50, 1000}, 5, flops).supersteps, 1);
  EXPECT_THROW(jacobi_program({102, 50, 0}, 5, flops), std::invalid_argument);
}

TEST(Program, refuses_more_nodes_than_there_is_to_share_out) {
  EXPECT_THROW(fft2d_program(8, 9, flops), std::invalid_argument);
  EXPECT_THROW(bitonic_sort_program(4, 8, flops), std::invalid_argument);
  EXPECT_THROW(jacobi_program({10, 1}, 9, flops), std::invalid_argument);
  EXPECT_EQ(jacobi_program({10, 1}, 8, flops).nodes, 8);
  EXPECT_THROW(jacobi_program({2, 1}, 1, flops), std::invalid_argument);
  EXPECT_THROW(matmul_program(0, 1, flops), std::invalid_argument);
  EXPECT_THROW(matmul_program(10, 1, 0), std::invalid_argument);
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
    const Setting other = best_setting(asked.program(nodes), path(1400, 0.05), {}, asked.protocol);
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
  ASSERT_FALSE(tuning.runners_up.empty());
  EXPECT_EQ(tuning.runners_up.front().nodes, 2);
}

TEST(Setting, knows_what_of_its_time_is_for_losses) {
  const Program program = matmul_program(2000, 16, flops);
  const superstep::Protocol protocol = superstep::known_protocol();
  const Setting lossy = best_setting(program, path(1400, 0.1), {}, protocol);
  const Setting lossless = best_setting(program, path(1400, 0), {}, protocol);
  EXPECT_NEAR(lossy.losses, lossy.communication - lossless.communication, 1e-9);
  EXPECT_GT(lossy.losses, 0);
  EXPECT_EQ(lossless.losses, 0);
  EXPECT_DOUBLE_EQ(lossy.seconds, program.parallel_seconds + lossy.communication);
  EXPECT_DOUBLE_EQ(lossy.speedup, program.sequential_seconds / lossy.seconds);
  EXPECT_DOUBLE_EQ(lossy.efficiency(), lossy.speedup / 16);
}

TEST(Setting, of_one_node_only_computes) {
  const Program alone = matmul_program(2000, 1, flops);
  const superstep::Protocol protocol = superstep::known_protocol();
  const Setting setting = best_setting(alone, path(1400, 0.1), {}, protocol);
  EXPECT_EQ(setting.communication, 0);
  EXPECT_EQ(setting.seconds, alone.sequential_seconds);
  EXPECT_EQ(usual_seconds(alone, path(1400, 0.1), protocol), alone.sequential_seconds);
}

TEST(Setting, counts_the_heads_of_messages_and_the_empty_ones) {
  const Program program =
      own_program({.work_seconds = 1, .supersteps = 1, .message_bytes = 3000, .destinations = 2}, 8);
  const auto superstep = superstep_of(program, path(1400, 0.1), superstep::known_protocol());
  ASSERT_EQ(superstep.messages.size(), 2U);
  EXPECT_EQ(superstep.messages[0].per_rank, 2);
  EXPECT_EQ(superstep.messages[0].segments, 3);
  EXPECT_DOUBLE_EQ(superstep.messages[0].segment_seconds, ((3000 + 32 + 48) / 3. + 74) / 12.5e6);
  EXPECT_EQ(superstep.messages[1].per_rank, 5);
  EXPECT_EQ(superstep.messages[1].segments, 1);
  EXPECT_DOUBLE_EQ(superstep.messages[1].segment_seconds, (32 + 74) / 12.5e6);
}

TEST(Setting, says_which_end_of_a_message_alone_is_protected) {
  Setting setting{.protection = {{}, {.repair_segments = 3, .first_protected = 70, .coded = true}},
                  .packets_per_message = 100};
  EXPECT_TRUE(setting.has_longer());
  EXPECT_TRUE(setting.is_coded());
  EXPECT_EQ(setting.protected_tail(), 30);
  setting.protection.longer.first_protected = 0;
  EXPECT_EQ(setting.protected_tail(), 0);
  setting.packets_per_message = 1;
  EXPECT_FALSE(setting.has_longer());
  EXPECT_FALSE(setting.is_coded());
}

TEST(Tuner, says_between_which_nodes_the_optimum_is_flat) {
  const Tuning tuning = tune(grid(0.05));
  EXPECT_LE(tuning.flat_from, tuning.best.nodes);
  EXPECT_GE(tuning.flat_to, tuning.best.nodes);
  EXPECT_LT(tuning.flat_from, tuning.flat_to);
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
  const auto doubted = [&](Assumption assumption) {
    return std::ranges::any_of(tuning.doubts,
                               [&](const Doubt& doubt) { return doubt.assumption == assumption; });
  };
  EXPECT_TRUE(doubted(Assumption::whole_packets));
  EXPECT_TRUE(doubted(Assumption::independent_losses));
}

TEST(Tuner, needs_something_to_choose_from) {
  TuningQuestion asked = matrices(0.05);
  asked.nodes.clear();
  EXPECT_THROW(tune(asked), std::invalid_argument);
  asked = matrices(0.05);
  asked.paths = [](double) { return std::vector<PacketPath>{}; };
  EXPECT_THROW(tune(asked), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::tuning
