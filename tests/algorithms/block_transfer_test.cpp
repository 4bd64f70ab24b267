#include "algorithms/block_transfer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "tests/support/run_ranks.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::HasSubstr;

std::vector<double> counted(std::size_t elements) {
  std::vector<double> values(elements);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

class BlockTransfer : public test::OverBackends {};

TEST_P(BlockTransfer, deals_out_what_rank_0_has_in_one_superstep) {
  for (const Rank ranks : {1, 4, 9}) {
    run_ranks(ranks, [](World& world) {
      const std::vector<double> whole = counted(world.rank() == 0 ? 7 * 5 : 0);
      const auto block =
          world.rank() == 0 ? distribute<double>(world, {7, 5, whole}) : distribute<double>(world, {});
      EXPECT_EQ(world.superstep(), 1U);
      auto expected = BlockMatrix<double>(world, 7, 5);
      expected.fill([](std::size_t i, std::size_t j) { return static_cast<double>(i * 5 + j); });
      EXPECT_EQ(block.layout, expected.layout);
      EXPECT_EQ(block.values, expected.values);
    });
  }
}

TEST_P(BlockTransfer, gathers_on_rank_0_in_one_superstep) {
  for (const Rank ranks : {1, 4, 9}) {
    run_ranks(ranks, [](World& world) {
      BlockMatrix<float> block(world, 4, 11);
      block.fill([](std::size_t i, std::size_t j) { return static_cast<float>(i * 11 + j); });
      const std::vector<float> whole = gather(world, block);
      EXPECT_EQ(world.superstep(), 1U);
      std::vector<float> expected(world.rank() == 0 ? 44 : 0);
      std::iota(expected.begin(), expected.end(), 0.F);
      EXPECT_EQ(whole, expected);
    });
  }
}

TEST_P(BlockTransfer, carries_matrices_smaller_than_the_grid_and_empty_ones) {
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 2}) {
    run_ranks(9, [&](World& world) {
      const std::vector<double> whole = counted(world.rank() == 0 ? size * size : 0);
      const auto block = distribute<double>(world, {size, size, whole});
      EXPECT_EQ(gather(world, block), whole);
    });
  }
}

TEST_P(BlockTransfer, refuses_a_matrix_of_other_than_its_elements) {
  const auto outcomes = run_failing_ranks(4, [](World& world) {
    const std::vector<double> whole = counted(11);
    distribute<double>(world, {3, 4, whole});
  });
  EXPECT_THAT(test::text_of<UsageError>(outcomes[0]), HasSubstr("matrix of 3 x 4 was given 11 elements"));
  for (Rank rank = 1; rank < 4; ++rank) {
    EXPECT_THAT(test::text_of<Aborted>(outcomes[static_cast<std::size_t>(rank)]), HasSubstr("3 x 4"));
  }
}

LBSP_OVER_ALL_BACKENDS(BlockTransfer);

}  // namespace
}  // namespace lbsp::algorithms
