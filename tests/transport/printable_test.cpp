#include "transport/printable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace lbsp {
namespace {

using ::testing::StartsWith;

TEST(Printable, leaves_text_of_all_languages_as_it_is) {
  const std::string text = "é ß 日本 \U0001F600 ~!";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, makes_one_line) {
  EXPECT_EQ(printable("two\nlines\tand\r"), "two lines and\\x0d");
}

TEST(Printable, takes_from_a_terminal_what_it_would_act_upon) {
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");
}

TEST(Printable, shows_bytes_that_are_not_utf_8_by_their_value) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");
  EXPECT_EQ(printable("\xe0\x80\x80"), "\\xe0\\x80\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe6\x97"), "\\xe6\\x97");
}

TEST(Printable, cuts_what_is_long_and_says_how_long_it_was) {
  EXPECT_EQ(printable(std::string(20, 'x'), 10), "xxxxxxxxxx... (20 bytes in all)");
  EXPECT_EQ(printable(std::string(10, 'x'), 10), "xxxxxxxxxx");
  std::string escapes;
  escapes.resize(20'000'000, '\x1b');
  EXPECT_THAT(printable(escapes), StartsWith("\\x1b"));
  EXPECT_LT(printable(escapes).size(), longest_message + 40);
}

TEST(Printable, never_cuts_within_a_character) {
  EXPECT_EQ(printable("日本", 4), "日... (6 bytes in all)");
}

}  // namespace
}  // namespace lbsp
