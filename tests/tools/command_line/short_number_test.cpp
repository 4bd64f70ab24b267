#include "tools/command_line/short_number.hpp"

#include <gtest/gtest.h>

namespace lbsp::command_line {
namespace {

TEST(ShortNumber, has_three_digits_and_no_exponent_from_a_thousand_on) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.01234), "0.0123");
  EXPECT_EQ(short_number(123.4), "123");
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.6), "1000");
  EXPECT_EQ(short_number(2261.7), "2262");
  EXPECT_EQ(short_number(-1e6), "-1000000");
  EXPECT_EQ(short_number(1e300), "1e+300");
}

TEST(ShortNumber, of_a_change_has_a_sign) {
  EXPECT_EQ(short_change(0), "+0");
  EXPECT_EQ(short_change(-5.884), "-5.88");
  EXPECT_EQ(short_change(1900), "+1900");
}

}  // namespace
}  // namespace lbsp::command_line
