#include "algorithms/square_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(SquareGrid, counts_the_ranks_row_by_row) {
  const SquareGrid grid(9);
  EXPECT_EQ(grid.side(), 3);
  EXPECT_EQ(grid.row(5), 1);
  EXPECT_EQ(grid.column(5), 2);
  EXPECT_EQ(grid.rank(1, 2), 5);
}

TEST(SquareGrid, is_made_of_any_square) {
  for (int side = 1; side <= 400; ++side)
    EXPECT_EQ(SquareGrid(side * side).side(), side);
}

TEST(SquareGrid, of_another_number_names_the_squares_beside_it) {
  EXPECT_THAT([] { SquareGrid(6); }, ThrowsMessage<UsageError>(HasSubstr("of 6 ranks: start 4 or 9")));
  EXPECT_THAT([] { SquareGrid(2); }, ThrowsMessage<UsageError>(HasSubstr("of 2 ranks: start 1 or 4")));
  EXPECT_THROW(SquareGrid(99), UsageError);
}

}  // namespace
}  // namespace lbsp::algorithms
