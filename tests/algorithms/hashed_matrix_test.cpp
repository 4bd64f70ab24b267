#include "algorithms/hashed_matrix.hpp"

#include <gtest/gtest.h>
#include <set>

namespace lbsp::algorithms {
namespace {

TEST(HashedMatrix, is_the_same_for_the_same_seed_only) {
  EXPECT_EQ(HashedMatrix(1, 0).at<double>(3, 4), HashedMatrix(1, 0).at<double>(3, 4));
  EXPECT_NE(HashedMatrix(1, 0).at<double>(3, 4), HashedMatrix(2, 0).at<double>(3, 4));
  EXPECT_NE(HashedMatrix(1, 0).at<double>(3, 4), HashedMatrix(1, 1).at<double>(3, 4));
}

TEST(HashedMatrix, has_no_two_equal_elements_nearby) {
  std::set<double> seen;
  for (const std::uint64_t number : {0U, 1U}) {
    const HashedMatrix matrix(7, number);
    for (std::uint64_t i = 0; i < 100; ++i) {
      for (std::uint64_t j = 0; j < 100; ++j)
        seen.insert(matrix.at<double>(i, j));
    }
  }
  EXPECT_EQ(seen.size(), 20000U);
}

template <class T>
void expect_uniform() {
  const HashedMatrix matrix(7, 0);
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    for (std::uint64_t j = 0; j < 300; ++j) {
      const T x = matrix.at<T>(i, j);
      ASSERT_GE(x, -1);
      ASSERT_LT(x, 1);
      sum += static_cast<double>(x);
      squares += static_cast<double>(x) * static_cast<double>(x);
    }
  }
  EXPECT_NEAR(sum / 90000, 0, 0.01);
  EXPECT_NEAR(squares / 90000, 1. / 3, 0.01);
}

TEST(HashedMatrix, is_uniform_in_double) {
  expect_uniform<double>();
}
TEST(HashedMatrix, is_uniform_in_single) {
  expect_uniform<float>();
}

}  // namespace
}  // namespace lbsp::algorithms
