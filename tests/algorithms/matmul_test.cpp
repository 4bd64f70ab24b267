#include "algorithms/matmul.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "algorithms/block_transfer.hpp"
#include "algorithms/hashed_matrix.hpp"
#include "algorithms/local_product.hpp"
#include "algorithms/verification.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const HashedMatrix elements_of_a(1, 0);
const HashedMatrix elements_of_b(1, 1);

template <class T>
BlockMatrix<T> make(const World& world, const HashedMatrix& elements, std::size_t rows, std::size_t columns) {
  BlockMatrix<T> matrix(world, rows, columns);
  matrix.fill([&](std::size_t i, std::size_t j) { return elements.at<T>(i, j); });
  return matrix;
}

/// The product by definition, in double.
template <class T>
std::vector<T> plain_product(const ProductShape& shape) {
  std::vector<T> c;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t j = 0; j < shape.columns; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < shape.inner; ++l) {
        sum +=
            static_cast<double>(elements_of_a.at<T>(i, l)) * static_cast<double>(elements_of_b.at<T>(l, j));
      }
      c.push_back(static_cast<T>(sum));
    }
  }
  return c;
}

class Matmul : public test::OverBackends {
 protected:
  template <class T>
  void expect_the_product(Rank ranks, const ProductShape& shape, const ProductPlan& plan = {}) const {
    const std::vector<T> expected = plain_product<T>(shape);
    run_ranks(ranks, [&](World& world) {
      const auto a = make<T>(world, elements_of_a, shape.rows, shape.inner);
      const auto b = make<T>(world, elements_of_b, shape.inner, shape.columns);
      const std::vector<T> product = gather(world, matmul(world, a, b, plan));
      if (world.rank() != 0) return;
      ASSERT_EQ(product.size(), expected.size());
      EXPECT_TRUE(verify_product<T>(product, expected, shape.inner).passed())
          << ranks << " ranks, " << shape.rows << " x " << shape.inner << " x " << shape.columns;
    });
  }
};

TEST_P(Matmul, is_right_for_any_size_on_any_square_grid) {
  for (const Rank ranks : {1, 4, 9, 16}) {
    for (const std::size_t size : std::vector<std::size_t>{1, 2, 3, 7, 64, 100, 129}) {
      expect_the_product<double>(ranks, {size, size, size});
      expect_the_product<float>(ranks, {size, size, size});
    }
  }
}

TEST_P(Matmul, is_right_for_rectangles) {
  for (const Rank ranks : {1, 4, 9, 16}) {
    expect_the_product<double>(ranks, {5, 130, 17});
    expect_the_product<double>(ranks, {130, 1, 7});
    expect_the_product<double>(ranks, {1, 50, 1});
    expect_the_product<double>(ranks, {1, 1, 50});
  }
}

TEST_P(Matmul, by_fox_and_by_panels_is_right_for_any_size_on_any_square_grid) {
  for (const Rank ranks : {1, 4, 9}) {
    for (const ProductPlan plan :
         {ProductPlan{ProductAlgorithm::fox}, ProductPlan{ProductAlgorithm::summa, 7}}) {
      for (const std::size_t size : std::vector<std::size_t>{2, 65})
        expect_the_product<double>(ranks, {size, size, size}, plan);
      expect_the_product<float>(ranks, {31, 31, 31}, plan);
      expect_the_product<double>(ranks, {5, 40, 17}, plan);
      expect_the_product<double>(ranks, {1, 5, 1}, plan);
    }
  }
}

TEST_P(Matmul, by_fox_is_a_superstep_for_every_row_of_the_grid_and_by_panels_one_for_every_panel) {
  run_ranks(9, [](World& world) {
    const auto a = make<double>(world, elements_of_a, 20, 31);
    const auto b = make<double>(world, elements_of_b, 31, 20);
    matmul_fox(world, a, b);
    EXPECT_EQ(world.superstep(), 3U);
    matmul_summa(world, a, b, 4);  // parts of 11, 10 and 10
    EXPECT_EQ(world.superstep(), 3U + 9U);
  });
}

TEST_P(Matmul, by_panels_of_no_width_is_refused) {
  const auto outcomes = run_failing_ranks(1, [](World& world) {
    matmul_summa(world, BlockMatrix<double>(world, 5, 5), BlockMatrix<double>(world, 5, 5), 0);
  });
  EXPECT_THAT(test::text_of<UsageError>(outcomes[0]), HasSubstr("width 0"));
}

TEST_P(Matmul, is_one_superstep_in_which_a_rank_sends_its_blocks_only_where_they_are_needed) {
  constexpr std::size_t size = 90;
  constexpr Rank ranks = 9;
  run_ranks(ranks, [](World& world) {
    const auto a = make<double>(world, elements_of_a, size, size);
    const auto b = make<double>(world, elements_of_b, size, size);
    matmul(world, a, b);
    ASSERT_EQ(world.history().supersteps(), 1U);
    // 2(√P-1) blocks, and besides them headers: well below 200 bytes to each rank.
    const std::uint64_t blocks = 4 * (size / 3) * (size / 3) * sizeof(double);
    const std::uint64_t h = world.history().totals().h;
    EXPECT_GE(h, blocks);
    EXPECT_LE(h, blocks + 200 * (ranks - 1));
  });
}

TEST_P(Matmul, of_matrices_that_do_not_fit_is_refused) {
  const auto outcomes = run_failing_ranks(4, [](World& world) {
    matmul(world, BlockMatrix<double>(world, 5, 6), BlockMatrix<double>(world, 7, 8));
  });
  EXPECT_THAT(test::text_of<UsageError>(outcomes[0]), StartsWith("A is 5 x 6 and B 7 x 8: "));
}

TEST_P(Matmul, of_sizes_that_the_ranks_disagree_about_is_refused) {
  const auto outcomes = run_failing_ranks(4, [](World& world) {
    const std::size_t rows = world.rank() == 2 ? 6 : 5;
    matmul(world, BlockMatrix<double>(world, rows, 5), BlockMatrix<double>(world, 5, 5));
  });
  for (const auto& outcome : outcomes)
    EXPECT_NE(test::text_of<Error>(outcome), "(no error)");
}

TEST_P(Matmul, on_a_number_of_ranks_that_is_no_square_is_refused) {
  const auto outcomes = run_failing_ranks(3, [](World& world) { BlockMatrix<double>(world, 5, 5); });
  for (const auto& outcome : outcomes) {
    EXPECT_THAT(test::text_of<UsageError>(outcome), HasSubstr("of 3 ranks: start 1 or 4"));
  }
}

TEST_P(Matmul, of_a_block_that_was_resized_is_refused) {
  const auto outcomes = run_failing_ranks(1, [](World& world) {
    BlockMatrix<double> a(world, 5, 5);
    a.values.clear();
    matmul(world, a, BlockMatrix<double>(world, 5, 5));
  });
  EXPECT_THAT(test::text_of<UsageError>(outcomes[0]), HasSubstr("were resized"));
}

LBSP_OVER_ALL_BACKENDS(Matmul);

}  // namespace
}  // namespace lbsp::algorithms
