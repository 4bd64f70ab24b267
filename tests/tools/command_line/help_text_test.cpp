#include "tools/command_line/help_text.hpp"

#include <gtest/gtest.h>

namespace lbsp::command_line {
namespace {

TEST(HelpText, is_in_lines_of_the_columns_that_there_are) {
  EXPECT_EQ(in_lines("one two three", 7, 0), "one two\nthree");
  EXPECT_EQ(in_lines("one two three", 9, 2), "one two\n  three") << "the first line begins behind the indent";
  EXPECT_EQ(in_lines("one  two", 80, 4), "one two");
  EXPECT_EQ(in_lines("", 80, 4), "");
  EXPECT_EQ(in_lines("…… …", 4, 0), "…… …") << "of which each character has three bytes";
}

TEST(HelpText, breaks_only_words_that_are_longer_than_a_line_behind_commas) {
  EXPECT_EQ(in_lines("a,b c,d", 5, 0), "a,b\nc,d");
  EXPECT_EQ(in_lines("to loss=1%,rtt=2ms,mtu=9", 12, 2), "to\n  loss=1%,\n  rtt=2ms,\n  mtu=9");
  EXPECT_EQ(in_lines("a longest_word b", 5, 0), "a\nlongest_word\nb");
}

TEST(HelpText, has_paragraphs_and_commands_in_lines_of_their_own) {
  EXPECT_EQ(laid_out("One\ntwo\nthree.\n\nExample: lbsp run\n  lbsp watch\nand so on", 8),
            "One two\nthree.\n\nExample: lbsp run\n  lbsp watch\nand so\non\n");
  EXPECT_EQ(laid_out("", 80), "");
}

TEST(HelpText, continues_commands_as_a_shell_reads_them) {
  EXPECT_EQ(laid_out("Example: lbsp run --wan loss=1% -n 4 -- jacobi --size 9", 36),
            "Example: lbsp run \\\n            --wan loss=1% -n 4 \\\n            -- jacobi --size 9\n");
}

TEST(HelpText, is_as_wide_as_can_be_read) {
  EXPECT_GE(help_columns(), 80U);
  EXPECT_LE(help_columns(), 120U);
}

}  // namespace
}  // namespace lbsp::command_line
