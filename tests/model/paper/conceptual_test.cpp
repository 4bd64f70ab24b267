#include "model/paper/conceptual.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

namespace lbsp::model::paper::conceptual {
namespace {

using enum PacketsPerSuperstep;

TEST(ConceptualModel, has_the_optima_worked_out_by_hand) {
  EXPECT_NEAR(*optimal_nodes(n_log2, 0.1, 2), 10.38, 0.05);   // 10.38 with a ≈ 2u, 10.34 with the exact a
  EXPECT_NEAR(*optimal_nodes(n_log2, 0.05, 2), 31.22, 0.05);  // 31.22 with a ≈ 2u, 31.18 with the exact a
  EXPECT_NEAR(*optimal_nodes(n_log2, 0.14, 3), 28.90, 0.005);
  EXPECT_EQ(*optimal_whole_nodes(n_log2, 0.14, 3), 29);
  EXPECT_NEAR(*optimal_nodes(log2_squared, 0.12, 2), 3948, 0.5);
}

TEST(ConceptualModel, has_its_whole_optimum_where_no_other_number_of_nodes_is_better) {
  for (const PacketsPerSuperstep kind : {log2_squared, n, n_log2, n_squared})
    for (const double loss : {0.02, 0.1, 0.14, 0.3, 0.6, 0.9})
      for (const int copies : {1, 2, 3}) {
        const double found = *optimal_whole_nodes(kind, loss, copies);
        if (found > 20000) continue;
        double best = 1;
        for (double nodes = 1; nodes <= 25000; ++nodes)
          if (log_speedup(kind, nodes, loss, copies) > log_speedup(kind, best, loss, copies)) best = nodes;
        EXPECT_EQ(found, best) << name_of(kind) << " p=" << loss << " k=" << copies;
      }
}

TEST(ConceptualModel, has_its_real_optimum_where_the_slope_is_zero) {
  for (const PacketsPerSuperstep kind : {log2_squared, n, n_log2, n_squared}) {
    const double at = *optimal_nodes(kind, 0.05, 2);
    for (const double factor : {0.999, 1.001})
      EXPECT_LT(log_speedup(kind, at * factor, 0.05, 2), log_speedup(kind, at, 0.05, 2)) << name_of(kind);
  }
}

TEST(ConceptualModel, grows_for_ever_where_it_has_no_optimum) {
  EXPECT_FALSE(optimal_nodes(one, 0.1, 1));
  EXPECT_FALSE(optimal_whole_nodes(one, 0.1, 1));
  EXPECT_FALSE(optimal_whole_nodes(log2, 0.29, 1));
  EXPECT_EQ(optimal_whole_nodes(log2, 0.295, 1), 1);
  EXPECT_FALSE(optimal_nodes(n_squared, 0, 1));
}

TEST(ConceptualModel, follows_its_power_of_n_for_log2_packets) {
  const double u = 0.01;
  EXPECT_NEAR(speedup(log2, 1024, 0.1, 2), std::pow(1024, 1 + 2 * std::log2(1 - u)), 1e-9);
}

TEST(ConceptualModel, is_linear_without_loss_and_one_on_one_node) {
  for (const PacketsPerSuperstep kind : all_packets_per_superstep) {
    EXPECT_EQ(speedup(kind, 4096, 0, 1), 4096);
    EXPECT_EQ(speedup(kind, 1, 0.5, 1), 1);
    EXPECT_NEAR(speedup(kind, 64, 0.3, 60), 64, 1e-9);
  }
}

TEST(ConceptualModel, underflows_to_zero_and_keeps_the_logarithm) {
  EXPECT_EQ(speedup(n_squared, 131072, 0.5, 1), 0);
  EXPECT_LT(log_speedup(n_squared, 131072, 0.5, 1), -1e9);
}

TEST(ConceptualModel, succeeds_less_with_every_packet_and_loss_and_more_with_every_copy) {
  EXPECT_NEAR(speedup(n, 3, 0.1, 1), 3 * std::pow(0.9, 6), 1e-15);
  EXPECT_LT(speedup(n_squared, 3, 0.1, 1), speedup(n, 3, 0.1, 1));
  EXPECT_LT(speedup(n, 3, 0.11, 1), speedup(n, 3, 0.1, 1));
  EXPECT_GT(speedup(n, 3, 0.1, 2), speedup(n, 3, 0.1, 1));
}

TEST(ConceptualModel, refuses_what_is_no_loss_no_copy_and_no_node) {
  EXPECT_THROW(speedup(n, 2, 1, 1), std::invalid_argument);
  EXPECT_THROW(speedup(n, 2, 0.1, 0), std::invalid_argument);
  EXPECT_THROW(speedup(n, 0, 0.1, 1), std::invalid_argument);
  EXPECT_THROW(optimal_nodes(n, -0.1, 1), std::invalid_argument);
}

TEST(PacketsPerSuperstep, have_names_of_their_own) {
  std::vector<std::string> names;
  names.reserve(all_packets_per_superstep.size());
  for (const PacketsPerSuperstep kind : all_packets_per_superstep)
    names.emplace_back(name_of(kind));
  EXPECT_EQ(names.front(), "1");
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace lbsp::model::paper::conceptual
