#include "tools/launch/processes/line_splitter.hpp"

#include <gtest/gtest.h>
#include <string>

namespace lbsp::launch::processes {
namespace {

TEST(LineSplitter, keeps_what_is_not_a_whole_line_for_later) {
  LineSplitter lines;
  EXPECT_EQ(lines.add("one\ntw"), "one\n");
  EXPECT_EQ(lines.add("o"), "");
  EXPECT_EQ(lines.add("\nthree\n\n"), "two\nthree\n\n");
  EXPECT_EQ(lines.rest(), "");
}

TEST(LineSplitter, gives_a_last_line_without_an_end_as_the_rest) {
  LineSplitter lines;
  EXPECT_EQ(lines.add("one\nlast"), "one\n");
  EXPECT_EQ(lines.rest(), "last");
  EXPECT_EQ(lines.rest(), "");
}

TEST(LineSplitter, holds_no_more_than_the_longest_line) {
  LineSplitter lines;
  std::size_t given = 0;
  const std::string piece(1000, 'x');
  for (int i = 0; i < 1000; ++i)
    given += lines.add(piece).size();
  EXPECT_GE(given, 1'000'000 - LineSplitter::longest_line - piece.size());
  EXPECT_EQ(given + lines.rest().size(), 1'000'000U);
}

TEST(LineSplitter, passes_bytes_that_are_no_text) {
  LineSplitter lines;
  const std::string bytes("\0\xff\r\n", 4);
  EXPECT_EQ(lines.add(bytes), bytes);
}

}  // namespace
}  // namespace lbsp::launch::processes
