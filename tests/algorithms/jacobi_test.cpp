#include "algorithms/jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

#include "algorithms/hashed_matrix.hpp"
#include "algorithms/rectangle_transfer.hpp"
#include "algorithms/verification.hpp"
#include "tests/support/message_counts.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::HasSubstr;

const HashedMatrix elements(3, 0);

struct Case {
  std::size_t rows;
  std::size_t columns;
  std::size_t halo = 1;
  BlockShape shape = BlockShape::rows;
  std::uint64_t sweeps = 11;
};

std::vector<double> random_grid(std::size_t rows, std::size_t columns) {
  std::vector<double> grid(rows * columns);
  for (std::size_t i = 0; i < grid.size(); ++i)
    grid[i] = elements.at<double>(i / columns, i % columns);
  return grid;
}

GridBlock random_block(const World& world, const Case& of) {
  GridBlock block(world, GridBlocks::of(of.rows, of.columns, world.size(), of.shape), of.halo);
  block.fill([](std::size_t i, std::size_t j) { return elements.at<double>(i, j); });
  return block;
}

std::vector<double> whole_of(World& world, const GridBlock& grid) {
  return collect<double>(world, {grid.blocks.rows, grid.blocks.columns, grid.own_values()},
                         [&](std::size_t, std::size_t, Rank rank) { return grid.blocks.of_rank(rank); });
}

class JacobiOver : public test::OverBackends {
 protected:
  void expect_the_sweeps(Rank ranks, const Case& of) const {
    std::vector<double> expected = random_grid(of.rows, of.columns);
    const double residual = jacobi_alone(expected, of.rows, of.columns, of.sweeps);
    run_ranks(ranks, [&](World& world) {
      GridBlock grid = random_block(world, of);
      const JacobiResult result = jacobi(world, grid, {.sweeps = of.sweeps});
      EXPECT_EQ(world.superstep(), (of.sweeps + of.halo - 1) / of.halo + 1);
      EXPECT_EQ(result.sweeps, of.sweeps);
      EXPECT_FALSE(result.converged);
      EXPECT_NEAR(result.residual, residual, 1e-14);
      const std::vector<double> whole = whole_of(world, grid);
      if (world.rank() == 0) {
        EXPECT_LE(relative_error<double>(whole, expected), 1e-14)
            << ranks << " ranks, " << of.rows << " x " << of.columns << ", halo " << of.halo;
      }
    });
  }
};

TEST_P(JacobiOver, equals_the_single_process_one_on_any_number_of_ranks) {
  for (const Rank ranks : {1, 2, 3, 4, 8, 9}) {
    for (const BlockShape shape : {BlockShape::rows, BlockShape::rectangles}) {
      expect_the_sweeps(ranks, {17, 17, 1, shape, 5});
      expect_the_sweeps(ranks, {23, 41, 3, shape, 7});
    }
  }
}

TEST_P(JacobiOver, may_have_a_halo_deeper_than_the_neighbours_blocks) {
  for (const BlockShape shape : {BlockShape::rows, BlockShape::rectangles}) {
    expect_the_sweeps(8, {13, 19, 4, shape, 10});
    expect_the_sweeps(9, {13, 19, 50, shape, 60});
  }
}

TEST_P(JacobiOver, is_right_where_there_are_more_ranks_than_rows_and_where_nothing_changes) {
  for (const BlockShape shape : {BlockShape::rows, BlockShape::rectangles}) {
    expect_the_sweeps(9, {5, 6, 2, shape, 4});
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {1, 9}, {2, 30}, {30, 2}, {3, 3}})
      expect_the_sweeps(4, {rows, columns, 1, shape, 2});
  }
}

TEST_P(JacobiOver, stops_at_the_tolerance_on_all_ranks_at_the_same_sweep) {
  std::vector<double> expected = random_grid(9, 8);
  run_ranks(3, [&](World& world) {
    GridBlock grid = random_block(world, {9, 8, 4});
    const JacobiResult result = jacobi(world, grid, {.tolerance = 1e-3, .sweeps = 1000, .check_every = 8});
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.sweeps % 8, 0U);
    EXPECT_LE(result.residual, 1e-3);
    const std::vector<double> whole = whole_of(world, grid);
    if (world.rank() != 0) return;
    const double before = jacobi_alone(expected, 9, 8, result.sweeps - 8);
    EXPECT_GT(before, 1e-3);
    EXPECT_NEAR(jacobi_alone(expected, 9, 8, 8), result.residual, 1e-14);
    EXPECT_LE(relative_error<double>(whole, expected), 1e-13);
  });
}

TEST_P(JacobiOver, refuses_a_grid_that_is_not_finite_on_all_ranks) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e308}) {
    const auto outcomes = run_failing_ranks(4, [&](World& world) {
      GridBlock grid = random_block(world, {17, 17, 2});
      if (world.rank() == 2) {
        grid.fill([&](std::size_t, std::size_t) { return bad; });
      }
      jacobi(world, grid, {.tolerance = 1e-9, .sweeps = 1'000'000});
    });
    for (const auto& outcome : outcomes)
      EXPECT_THAT(test::text_of<Error>(outcome), HasSubstr("the grid is not finite after 10 sweeps"));
  }
}

TEST_P(JacobiOver, refuses_what_the_ranks_disagree_about_and_what_makes_no_sense) {
  const auto outcomes = run_failing_ranks(3, [](World& world) {
    GridBlock grid = random_block(world, {9, 9});
    jacobi(world, grid, {.sweeps = world.rank() == 1 ? 5U : 6U});
  });
  for (const auto& outcome : outcomes)
    EXPECT_NE(test::text_of<Error>(outcome), "(no error)");
  const auto no_halo = run_failing_ranks(1, [](World& world) {
    GridBlock grid = random_block(world, {9, 9, 0});
    jacobi(world, grid, {.sweeps = 5});
  });
  EXPECT_THAT(test::text_of<UsageError>(no_halo[0]), HasSubstr("without a halo"));
  const auto no_sweeps = run_failing_ranks(1, [](World& world) {
    GridBlock grid = random_block(world, {9, 9});
    jacobi(world, grid, {});
  });
  EXPECT_THAT(test::text_of<UsageError>(no_sweeps[0]), HasSubstr("0 sweeps"));
}

LBSP_OVER_ALL_BACKENDS(JacobiOver);

/// On a square of n × n meshes whose top edge is sin(πx), the others 0, the five-point equations have the
/// solution sin(πj/n) sinh(μ(n-i)) / sinh(μn) with cosh μ = 2 - cos(π/n), and Laplace's equation the same
/// with μ = π/n.
double sine_solution(double mu, std::size_t n, std::size_t i, std::size_t j) {
  const auto size = static_cast<double>(n);
  return std::sin(std::numbers::pi * static_cast<double>(j) / size) *
         std::sinh(mu * (size - static_cast<double>(i))) / std::sinh(mu * size);
}

/// The largest differences of a converged solution from that of the five-point equations, and from Laplace's.
std::pair<double, double> errors_of_a_sine_boundary(std::size_t n) {
  std::vector<double> whole;
  test::count_messages(4, 1400, [&](World& world) {
    GridBlock grid(world, GridBlocks::of(n + 1, n + 1, 4, BlockShape::rectangles), 8);
    grid.fill([&](std::size_t i, std::size_t j) { return i == 0 ? sine_solution(1, n, 0, j) : 0; });
    const JacobiResult result =
        jacobi(world, grid, {.tolerance = 1e-15, .sweeps = 100'000, .check_every = 64});
    EXPECT_TRUE(result.converged);
    const auto collected = whole_of(world, grid);
    if (world.rank() == 0) whole = collected;
  });
  const double continuous = std::numbers::pi / static_cast<double>(n);
  const double discrete = std::acosh(2 - std::cos(continuous));
  std::pair<double, double> errors{0, 0};
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const std::size_t i = k / (n + 1);
    const std::size_t j = k % (n + 1);
    errors.first = std::max(errors.first, std::abs(whole[k] - sine_solution(discrete, n, i, j)));
    errors.second = std::max(errors.second, std::abs(whole[k] - sine_solution(continuous, n, i, j)));
  }
  return errors;
}

TEST(Jacobi, converges_to_the_analytic_solution_of_a_sine_boundary) {
  const auto coarse = errors_of_a_sine_boundary(8);
  const auto fine = errors_of_a_sine_boundary(16);
  EXPECT_LE(coarse.first, 1e-12);
  EXPECT_LE(fine.first, 1e-12);
  // The discretisation is of second order: half the mesh, a quarter of the error.
  EXPECT_NEAR(coarse.second / fine.second, 4, 0.2);
  EXPECT_LE(fine.second, 2e-3);
}

TEST(Jacobi, is_bit_for_bit_the_same_however_it_is_cut) {
  std::vector<std::vector<double>> results;
  for (const Rank ranks : {1, 3, 8}) {
    for (const std::size_t halo : {1U, 5U}) {
      for (const BlockShape shape : {BlockShape::rows, BlockShape::rectangles}) {
        test::count_messages(ranks, 1400, [&](World& world) {
          GridBlock grid = random_block(world, {21, 34, halo, shape});
          jacobi(world, grid, {.sweeps = 33});
          auto whole = whole_of(world, grid);
          if (world.rank() == 0) results.push_back(std::move(whole));
        });
      }
    }
  }
  for (const auto& result : results)
    EXPECT_EQ(result, results.front());
}

TEST(Jacobi, with_a_deep_halo_needs_as_many_fewer_supersteps) {
  const auto supersteps = [](std::size_t halo) {
    return test::count_messages(4, 1400,
                                [&](World& world) {
                                  GridBlock grid = random_block(world, {65, 65, halo});
                                  jacobi(world, grid, {.sweeps = 64});
                                })
        .supersteps.size();
  };
  EXPECT_EQ(supersteps(1), 65U);
  EXPECT_EQ(supersteps(8), 9U);
  EXPECT_EQ(supersteps(16), 5U);
}

}  // namespace
}  // namespace lbsp::algorithms
