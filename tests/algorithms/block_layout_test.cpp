#include "algorithms/block_layout.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace lbsp::algorithms {
namespace {

TEST(PartOf, cuts_evenly_what_divides) {
  EXPECT_EQ(part_of(12, 3, 0), (Range{0, 4}));
  EXPECT_EQ(part_of(12, 3, 2), (Range{8, 4}));
}

TEST(PartOf, gives_the_first_parts_one_more) {
  EXPECT_EQ(part_of(11, 3, 0), (Range{0, 4}));
  EXPECT_EQ(part_of(11, 3, 1), (Range{4, 4}));
  EXPECT_EQ(part_of(11, 3, 2), (Range{8, 3}));
}

TEST(PartOf, leaves_parts_empty_where_there_are_too_many) {
  EXPECT_EQ(part_of(1, 4, 0), (Range{0, 1}));
  EXPECT_EQ(part_of(1, 4, 3), (Range{1, 0}));
}

TEST(PartOf, covers_every_index_once) {
  for (const std::size_t total : std::vector<std::size_t>{0, 1, 2, 7, 64, 129}) {
    for (int parts = 1; parts <= 17; ++parts) {
      std::size_t next = 0;
      for (int i = 0; i < parts; ++i) {
        EXPECT_EQ(part_of(total, parts, i).begin, next);
        next = part_of(total, parts, i).end();
      }
      EXPECT_EQ(next, total);
    }
  }
}

TEST(BlockLayout, gives_every_element_to_one_rank) {
  const BlockLayout layout{7, 5, SquareGrid(9)};
  std::vector<int> owners(35);
  for (Rank rank = 0; rank < 9; ++rank) {
    const Range rows = layout.rows_of(rank);
    const Range columns = layout.columns_of(rank);
    EXPECT_EQ(layout.elements_of(rank), rows.count * columns.count);
    for (std::size_t i = rows.begin; i < rows.end(); ++i) {
      for (std::size_t j = columns.begin; j < columns.end(); ++j)
        ++owners[i * 5 + j];
    }
  }
  EXPECT_EQ(owners, std::vector<int>(35, 1));
}

}  // namespace
}  // namespace lbsp::algorithms
