#include "algorithms/key_order.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace lbsp::algorithms {
namespace {

template <class F>
class FloatOrderOf : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatOrderOf, Floats);

template <class F>
using Bits = typename FloatOrder<F>::Bits;

/// In the order that is promised.
template <class F>
std::vector<F> ascending_numbers() {
  using limits = std::numeric_limits<F>;
  return {-limits::infinity(),  limits::lowest(), F{-1}, -limits::min(), -limits::denorm_min(), -F{0}, F{0},
          limits::denorm_min(), limits::min(),    F{1},  limits::max(),  limits::infinity()};
}

TYPED_TEST(FloatOrderOf, numbers_is_theirs_with_minus_zero_before_zero_and_nan_last) {
  using F = TypeParam;
  auto keys = ascending_numbers<F>();
  const F nan = std::numeric_limits<F>::quiet_NaN();
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    const FloatOrder<F> codes(order);
    for (std::size_t i = 0; i + 1 < keys.size(); ++i)
      EXPECT_LT(codes.encode(keys[i]), codes.encode(keys[i + 1])) << keys[i] << " before " << keys[i + 1];
    EXPECT_LT(codes.encode(keys.back()), codes.encode(nan));
    EXPECT_LT(codes.encode(keys.back()), codes.encode(-nan));
    EXPECT_LT(codes.encode(nan), codes.encode(-nan));
    std::ranges::reverse(keys);
  }
}

TYPED_TEST(FloatOrderOf, any_bits_gives_them_back) {
  using F = TypeParam;
  std::mt19937_64 random(1);
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    const FloatOrder<F> codes(order);
    for (int i = 0; i < 100'000; ++i) {
      // Every tenth an infinity or NaN.
      auto bits = static_cast<Bits<F>>(random());
      if (i % 10 == 0) bits |= std::bit_cast<Bits<F>>(std::numeric_limits<F>::infinity());
      std::vector<F> key{std::bit_cast<F>(bits)};
      codes.encode(std::span(key));
      codes.decode(std::span(key));
      ASSERT_EQ(std::bit_cast<Bits<F>>(key[0]), bits);
    }
  }
}

TYPED_TEST(FloatOrderOf, random_numbers_is_that_of_the_comparison) {
  using F = TypeParam;
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const F a = std::bit_cast<F>(static_cast<Bits<F>>(random()));
    const F b = std::bit_cast<F>(static_cast<Bits<F>>(random()));
    if (std::isnan(a) || std::isnan(b) || a == b) continue;
    ASSERT_EQ(comes_before(a, b, SortOrder::ascending), a < b);
    ASSERT_EQ(comes_before(a, b, SortOrder::descending), a > b);
  }
}

TEST(KeyOrder, of_integers_is_the_usual_one) {
  EXPECT_TRUE(comes_before(-1, 1, SortOrder::ascending));
  EXPECT_TRUE(comes_before(1, -1, SortOrder::descending));
  EXPECT_FALSE(comes_before(1U, 1U, SortOrder::descending));
}

}  // namespace
}  // namespace lbsp::algorithms
