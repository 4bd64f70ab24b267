// The algorithms in whole jobs in virtual time whose ranks are lost.
#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "algorithms/bitonic_sort.hpp"
#include "algorithms/block_transfer.hpp"
#include "algorithms/fft2d.hpp"
#include "algorithms/hashed_matrix.hpp"
#include "algorithms/jacobi.hpp"
#include "algorithms/matmul.hpp"
#include "algorithms/rectangle_transfer.hpp"
#include "lbsp/collectives/gather.hpp"
#include "tests/lbsp/lasting_worlds.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::algorithms {
namespace {

using namespace std::chrono_literals;
using lasting::LastingWorlds;
using transport::Slot;

/// Returns the whole result on rank 0.
template <class T>
using Algorithm = std::function<std::vector<T>(World&, std::uint64_t keep_every)>;

template <class T>
struct Ended {
  std::vector<T> result;
  int seated = 0;
  int changes = 0;
};

template <class T>
Ended<T> result_of(const Algorithm<T>& algorithm, const LastingWorlds::Plan& plan, std::uint64_t every) {
  Ended<T> ended;
  LastingWorlds worlds(plan, [&](World& world, Slot) {
    const auto result = algorithm(world, every);
    if (world.rank() == 0) ended.result = result;
  });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  for (Slot slot = 0; slot < plan.size; ++slot) {
    EXPECT_TRUE(worlds.finished(slot) || worlds.died(slot)) << slot << ": " << worlds.error(slot);
    ended.changes = std::max(ended.changes, worlds.changes(slot));
  }
  ended.seated = worlds.seated();
  return ended;
}

/// Whichever rank dies, and whenever, the result has the bits of an undisturbed run.
template <class T>
void expect_same_result(const Algorithm<T>& algorithm, LastingWorlds::Plan plan, std::uint64_t last_death) {
  const auto expected = result_of(algorithm, plan, 2).result;
  ASSERT_FALSE(expected.empty());
  const bool respawns = plan.respawn_after > lasting::Duration{0};
  int changed = 0;
  for (std::uint64_t death = 1; death < last_death; death += std::max(last_death / 12, std::uint64_t{1})) {
    SCOPED_TRACE(death);
    plan.seed = death;
    plan.dies_after.assign(static_cast<std::size_t>(plan.size), 0);
    plan.dies_after[death % plan.dies_after.size()] = death;
    plan.host_mtbf = death % 2 == 0 ? 3600 : 1e-3;
    const auto ended = result_of(algorithm, plan, 1 + death % 3);
    EXPECT_EQ(ended.result, expected);
    changed += respawns ? ended.seated : ended.changes;
  }
  EXPECT_GT(changed, 5);
}

constexpr LastingWorlds::Plan respawning(Slot size) {
  return {.size = size, .loss = 0.05, .respawn_after = 20ms};
}

Algorithm<double> relaxation(BlockShape shape, std::size_t halo) {
  return [=](World& world, std::uint64_t every) {
    GridBlock grid(world, GridBlocks::of(19, 14, world.size(), shape), halo);
    grid.fill([](std::size_t i, std::size_t j) { return i == 0 ? 1. : j == 0 ? 0.3 : 0; });
    const auto result =
        jacobi(world, grid, {.tolerance = 1e-9, .sweeps = 60, .check_every = 7}, Keep{.every = every});
    EXPECT_EQ(result.sweeps, 60U);
    EXPECT_GT(result.residual, 1e-9);
    return collect<double>(world, {19, 14, grid.own_values()},
                           [&](std::size_t, std::size_t, Rank rank) { return grid.blocks.of_rank(rank); });
  };
}

TEST(LastingAlgorithms, jacobi_has_the_same_bits_when_new_processes_come) {
  expect_same_result(relaxation(BlockShape::rows, 1), respawning(4), 400);
  expect_same_result(relaxation(BlockShape::rectangles, 3), respawning(6), 300);
}

TEST(LastingAlgorithms, jacobi_has_the_same_bits_on_fewer_ranks) {
  expect_same_result(relaxation(BlockShape::rows, 2), {.size = 5, .loss = 0.05}, 300);
  expect_same_result(relaxation(BlockShape::rectangles, 1), {.size = 6, .loss = 0.05}, 450);
}

TEST(LastingAlgorithms, jacobi_has_the_same_bits_when_ranks_join) {
  for (const BlockShape shape : {BlockShape::rows, BlockShape::rectangles}) {
    const auto relax = relaxation(shape, 2);
    const auto expected = result_of(relax, {.size = 3}, 2).result;
    ASSERT_FALSE(expected.empty());
    int seated = 0;
    for (int at = 1; at < 120; at += 10) {
      SCOPED_TRACE(at);
      const auto ended = result_of(relax,
                                   {.size = 3,
                                    .loss = 0.05,
                                    .seed = static_cast<std::uint64_t>(at),
                                    .joins_at = {at * 1ms, 2 * at * 1ms}},
                                   1 + static_cast<std::uint64_t>(at) % 3);
      EXPECT_EQ(ended.result, expected);
      seated += ended.seated;
    }
    EXPECT_GT(seated, 10);
  }
}

Algorithm<double> product(const ProductPlan& plan) {
  return [=](World& world, std::uint64_t every) {
    BlockMatrix<double> a(world, 23, 31);
    BlockMatrix<double> b(world, 31, 17);
    const HashedMatrix elements(5, 0);
    a.fill([&](std::size_t i, std::size_t j) { return elements.at<double>(i, j); });
    b.fill([&](std::size_t i, std::size_t j) { return elements.at<double>(j, i + 100); });
    return gather(world, matmul(world, a, b, plan, Keep{.every = every}));
  };
}

TEST(LastingAlgorithms, products_have_the_same_bits_when_new_processes_come) {
  expect_same_result(product({ProductAlgorithm::direct, 0}), respawning(4), 24);
  expect_same_result(product({ProductAlgorithm::fox, 0}), respawning(9), 100);
  expect_same_result(product({ProductAlgorithm::summa, 2}), respawning(4), 130);
}

TEST(LastingAlgorithms, products_by_foxs_algorithm_go_on_before_any_step) {
  const auto fox = product({ProductAlgorithm::fox, 0});
  LastingWorlds::Plan plan = respawning(16);
  const auto expected = result_of(fox, plan, 1).result;
  for (std::uint64_t death = 30; death < 240; death += 20) {
    SCOPED_TRACE(death);
    plan.dies_after = {0, 0, 0, 0, 0, 0, death};
    EXPECT_EQ(result_of(fox, plan, 1).result, expected);
  }
}

Algorithm<std::complex<double>> transform(bool transposed) {
  return [=](World& world, std::uint64_t every) {
    using Values = std::vector<std::complex<double>>;
    Fft2d<double> fft(world, 12, 10, {.transposed = transposed});
    const HashedMatrix elements(5, 0);
    Values values;
    for (std::size_t i = fft.own_rows().begin; i < fft.own_rows().end(); ++i)
      for (std::size_t j = 0; j < 10; ++j)
        values.emplace_back(elements.at<double>(i, j), elements.at<double>(j, i));
    fft.transform(values, Keep{.every = every});
    return collect<std::complex<double>>(world, {transposed ? 10U : 12U, transposed ? 12U : 10U, values},
                                         [&](std::size_t rows, std::size_t columns, Rank rank) {
                                           return rows_of_rank(rows, columns, rank, world.size());
                                         });
  };
}

TEST(LastingAlgorithms, fourier_transforms_have_the_same_bits_whether_new_processes_come_or_not) {
  for (const bool transposed : {false, true}) {
    expect_same_result(transform(transposed), respawning(4), 24);
    expect_same_result(transform(transposed), {.size = 5, .loss = 0.05}, 24);
  }
}

std::vector<double> sorted(World& world, std::uint64_t every) {
  std::vector<double> keys;
  for (std::uint64_t i = 0; i < 300; ++i)
    if (i % static_cast<std::uint64_t>(world.size()) == static_cast<std::uint64_t>(world.rank()))
      keys.push_back(static_cast<double>(transport::splitmix(i)) - 9e18);
  return gather(world, bitonic_sort(world, keys, SortOrder::descending, Keep{.every = every}));
}

TEST(LastingAlgorithms, sorts_have_the_same_bits_when_new_processes_come) {
  expect_same_result<double>(sorted, respawning(8), 220);
}

TEST(LastingAlgorithms, sorts_have_the_same_bits_on_half_of_the_ranks) {
  const auto expected = result_of<double>(sorted, {.size = 4}, 1).result;
  int changed = 0;
  for (std::uint64_t death = 1; death < 70; death += 3) {
    SCOPED_TRACE(death);
    const auto ended = result_of<double>(
        sorted, {.size = 4, .survive = 2, .seed = death, .dies_after = {0, death, 0, death}}, 1 + death % 2);
    if (ended.result.empty()) continue;  // three were left for a while: no power of two
    EXPECT_EQ(ended.result, expected);
    changed += ended.changes;
  }
  EXPECT_GT(changed, 3);
}

}  // namespace
}  // namespace lbsp::algorithms
