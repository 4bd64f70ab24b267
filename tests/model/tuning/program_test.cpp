#include "model/tuning/program.hpp"

#include <stdexcept>

#include "gtest/gtest.h"

namespace lbsp::model::tuning {
namespace {

constexpr double flops_of_rank = 1e10;

TEST(AdmissibleNodes, are_squares_for_a_grid_powers_of_two_for_a_network_of_merges_and_any_for_rows) {
  EXPECT_EQ(admissible_nodes(Admissible::squares, 20), (std::vector<double>{1, 4, 9, 16}));
  EXPECT_EQ(admissible_nodes(Admissible::powers_of_two, 9), (std::vector<double>{1, 2, 4, 8}));
  EXPECT_EQ(admissible_nodes(Admissible::any, 3), (std::vector<double>{1, 2, 3}));
}

TEST(Program, sends_what_the_ready_programs_send) {
  const Program matmul = matmul_program(1000, 16, flops_of_rank);
  EXPECT_EQ(matmul.supersteps, 1);
  EXPECT_EQ(matmul.destinations, 6);
  EXPECT_EQ(matmul.message_bytes, 8 * 1e6 / 16);
  EXPECT_DOUBLE_EQ(matmul.parallel_seconds, 2e9 / flops_of_rank / 16);

  const Program fox = fox_program(1000, 16, flops_of_rank);
  EXPECT_EQ(fox.supersteps * fox.destinations, 4 * 3 + 3)
      << "a root's three, and a roll in all but the first";
  EXPECT_EQ(fox.supersteps, 4);
  EXPECT_EQ(fox.message_bytes, matmul.message_bytes);
  EXPECT_EQ(fox.parallel_seconds, matmul.parallel_seconds);
  EXPECT_EQ(fox_program(1000, 1, flops_of_rank).supersteps, 0);

  const Program sort = bitonic_sort_program(1 << 20, 8, 1e8);
  EXPECT_EQ(sort.supersteps, 6);
  EXPECT_EQ(sort.destinations, 1);
  EXPECT_EQ(sort.message_bytes, 8 << 17);
  EXPECT_DOUBLE_EQ(sort.sequential_seconds, (1 << 20) * 20 / 1e8);
  EXPECT_DOUBLE_EQ(sort.parallel_seconds, ((1 << 17) * 17 + 12 * ((1 << 17) - 0.5)) / 1e8) << "3 levels";

  const Program fft = fft2d_program(1024, 4, flops_of_rank);
  EXPECT_EQ(fft.supersteps, 2);
  EXPECT_EQ(fft.destinations, 3);
  EXPECT_EQ(fft.message_bytes, 16 * 1024 * 1024 / 16);
  EXPECT_DOUBLE_EQ(fft.sequential_seconds, 5. * 1024 * 1024 * 20 / flops_of_rank);

  const Program jacobi = jacobi_program({102, 50}, 5, flops_of_rank);
  EXPECT_EQ(jacobi.supersteps, 50);
  EXPECT_EQ(jacobi.destinations, 2);
  EXPECT_EQ(jacobi_program({102, 50}, 2, flops_of_rank).destinations, 1);
  EXPECT_EQ(jacobi.message_bytes, 8 * 102);
  EXPECT_DOUBLE_EQ(jacobi.sequential_seconds, 5 * 50 * 1e4 / flops_of_rank);

  EXPECT_EQ(jacobi_program({102, 50}, 1, flops_of_rank).supersteps, 0);
}

TEST(Program, has_short_supersteps_for_its_times_its_end_and_what_else_its_nodes_tell_each_other) {
  EXPECT_EQ(matmul_program(1000, 16, flops_of_rank).short_supersteps, 2);
  EXPECT_EQ(bitonic_sort_program(1 << 20, 8, 1e8).short_supersteps, 3);
  EXPECT_EQ(fft2d_program(1024, 4, flops_of_rank).short_supersteps, 2);
  EXPECT_EQ(jacobi_program({102, 50}, 5, flops_of_rank).short_supersteps, 3);
  EXPECT_EQ(own_program({.work_seconds = 1}, 4).short_supersteps, 1);
  EXPECT_EQ(own_program({.work_seconds = 1}, 1).short_supersteps, 0);
}

TEST(Program, with_a_deep_halo_sends_seldom_and_computes_its_neighbours_rows_itself) {
  const Program plain = jacobi_program({102, 50}, 5, flops_of_rank);
  const Program deep = jacobi_program({102, 50, 8}, 5, flops_of_rank);
  EXPECT_EQ(deep.supersteps, 7);
  EXPECT_EQ(deep.destinations, 2);
  EXPECT_EQ(deep.message_bytes, 8 * plain.message_bytes);
  // 20 rows of its own and, in 8 sweeps, 7 + 6 + … + 0 more at each edge.
  EXPECT_NEAR(deep.parallel_seconds / plain.parallel_seconds, (20 + 7) / 20., 1e-12);
  EXPECT_EQ(deep.sequential_seconds, plain.sequential_seconds);
  // Each of two has one edge only.
  EXPECT_NEAR(jacobi_program({102, 50, 8}, 2, flops_of_rank).parallel_seconds / plain.sequential_seconds,
              (50 + 3.5) / 100., 1e-12);

  const Program deeper_than_blocks = jacobi_program({102, 50, 30}, 5, flops_of_rank);
  EXPECT_EQ(deeper_than_blocks.destinations, 4);
  EXPECT_EQ(deeper_than_blocks.message_bytes, 20 * plain.message_bytes);
  EXPECT_EQ(jacobi_program({102, 50, 1000}, 5, flops_of_rank).supersteps, 1);
  EXPECT_THROW(jacobi_program({102, 50, 0}, 5, flops_of_rank), std::invalid_argument);
}

TEST(Program, refuses_more_nodes_than_there_is_to_share_out) {
  EXPECT_THROW(fft2d_program(8, 9, flops_of_rank), std::invalid_argument);
  EXPECT_THROW(bitonic_sort_program(4, 8, flops_of_rank), std::invalid_argument);
  EXPECT_THROW(jacobi_program({10, 1}, 9, flops_of_rank), std::invalid_argument);
  EXPECT_EQ(jacobi_program({10, 1}, 8, flops_of_rank).nodes, 8);
  EXPECT_THROW(jacobi_program({2, 1}, 1, flops_of_rank), std::invalid_argument);
  EXPECT_THROW(matmul_program(0, 1, flops_of_rank), std::invalid_argument);
  EXPECT_THROW(matmul_program(10, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::tuning
