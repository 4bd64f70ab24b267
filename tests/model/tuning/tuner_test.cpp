#include "model/tuning/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

#include "tests/model/tuning/known_question.hpp"

namespace lbsp::model::tuning {
namespace {

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

TEST(Tuner, of_packet_sizes_that_do_not_matter_takes_the_smallest) {
  TuningQuestion asked = matrices(0);
  asked.program = [](double nodes) {
    return own_program({.work_seconds = 10, .supersteps = 2, .message_bytes = 10}, nodes);
  };
  for (std::vector<double> sizes : {std::vector{512., 1024., 1400.}, std::vector{600., 9000.}}) {
    asked.paths = [sizes](double) {
      std::vector<PacketPath> paths;
      paths.reserve(sizes.size());
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
