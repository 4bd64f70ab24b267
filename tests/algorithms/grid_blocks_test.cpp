#include "algorithms/grid_blocks.hpp"

#include <gtest/gtest.h>

namespace lbsp::algorithms {
namespace {

TEST(GridBlocks, of_rows_have_one_block_across) {
  const GridBlocks blocks = GridBlocks::of(10, 20, 6, BlockShape::rows);
  EXPECT_EQ(blocks.down, 6);
  EXPECT_EQ(blocks.across, 1);
}

TEST(GridBlocks, of_rectangles_have_the_shortest_edges) {
  EXPECT_EQ(GridBlocks::of(100, 100, 4, BlockShape::rectangles).across, 2);
  EXPECT_EQ(GridBlocks::of(100, 100, 9, BlockShape::rectangles).across, 3);
  EXPECT_EQ(GridBlocks::of(100, 100, 7, BlockShape::rectangles).down, 7);
  EXPECT_EQ(GridBlocks::of(10, 1000, 4, BlockShape::rectangles).across, 4);
  EXPECT_EQ(GridBlocks::of(200, 100, 8, BlockShape::rectangles).down, 4);
}

TEST(GridBlocks, give_every_point_to_one_rank) {
  for (const Rank ranks : {1, 2, 3, 4, 8, 9}) {
    for (const auto shape : {BlockShape::rows, BlockShape::rectangles}) {
      const GridBlocks blocks = GridBlocks::of(7, 5, ranks, shape);
      std::vector<int> owners(35);
      for (Rank rank = 0; rank < ranks; ++rank) {
        const Rectangle block = blocks.of_rank(rank);
        for (std::size_t i = block.rows.begin; i < block.rows.end(); ++i) {
          for (std::size_t j = block.columns.begin; j < block.columns.end(); ++j)
            ++owners[i * 5 + j];
        }
      }
      EXPECT_EQ(owners, std::vector<int>(35, 1));
    }
  }
}

TEST(GridBlocks, have_no_interior_below_three_points_a_side) {
  EXPECT_TRUE((GridBlocks{2, 9, 1, 1}).interior().empty());
  EXPECT_TRUE((GridBlocks{0, 0, 1, 1}).interior().empty());
  EXPECT_EQ((GridBlocks{3, 4, 1, 1}).interior(), (Rectangle{{1, 1}, {1, 2}}));
}

TEST(Rectangle, in_common_and_grown_stay_within_the_grid) {
  EXPECT_EQ(common(Range{0, 5}, Range{3, 9}), (Range{3, 2}));
  EXPECT_EQ(common(Range{0, 3}, Range{5, 9}).count, 0U);
  EXPECT_EQ(grown({2, 3}, 1, 10), (Range{1, 5}));
  EXPECT_EQ(grown({2, 3}, 50, 10), (Range{0, 10}));
  EXPECT_EQ(grown({2, 0}, 50, 10), (Range{2, 0}));
}

}  // namespace
}  // namespace lbsp::algorithms
