#include "tools/command_line/shell_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::command_line {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ShellWords, are_split_at_blanks) {
  EXPECT_THAT(split_words("  ssh -p\t22  "), ElementsAre("ssh", "-p", "22"));
  EXPECT_THAT(split_words(""), IsEmpty());
}

TEST(ShellWords, may_be_quoted_in_part_and_empty) {
  EXPECT_THAT(split_words(R"(a' b 'c "d \" 'e" '' \ f)"), ElementsAre("a b c", "d \" 'e", "", " f"));
  EXPECT_THAT(split_words(R"('\')"), ElementsAre("\\"));
}

TEST(ShellWords, with_an_open_quote_are_refused) {
  EXPECT_THROW(split_words("a 'b"), UsageError);
  EXPECT_THROW(split_words("\""), UsageError);
}

TEST(ShellWords, are_quoted_only_where_a_shell_needs_it) {
  EXPECT_EQ(quote_word("/usr/bin/lbsp-1.0"), "/usr/bin/lbsp-1.0");
  EXPECT_EQ(quote_word("my dir/it's"), R"('my dir/it'\''s')");
  EXPECT_EQ(quote_word(""), "''");
  EXPECT_THAT(split_words(quote_word("a 'b' \"c\" \\")), ElementsAre("a 'b' \"c\" \\"));
}

}  // namespace
}  // namespace lbsp::command_line
