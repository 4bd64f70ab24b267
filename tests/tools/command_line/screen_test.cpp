#include "tools/command_line/screen.hpp"

#include <gtest/gtest.h>
#include <string>

namespace lbsp::command_line {
namespace {

TEST(Screen, has_a_line_that_fits_as_it_is) {
  EXPECT_EQ(fitted("superstep 12, 3.4 s", 19), "superstep 12, 3.4 s");
  EXPECT_EQ(fitted("", 19), "");
}

TEST(Screen, has_whole_words_of_a_longer_line_and_says_that_there_are_more) {
  const std::string line = "superstep 1234, 56.7 s, waiting for ranks 10, 21, 32 and 5 others";
  EXPECT_EQ(fitted(line, 60), "superstep 1234, 56.7 s, waiting for ranks 10, 21, 32 and ...");
  EXPECT_EQ(fitted(line, 53), "superstep 1234, 56.7 s, waiting for ranks 10, 21 ...");
  EXPECT_EQ(fitted(line, 50), "superstep 1234, 56.7 s, waiting for ranks 10 ...");
  EXPECT_EQ(fitted(line, 28), "superstep 1234, 56.7 s ...");
}

TEST(Screen, never_has_more_than_its_columns) {
  const std::string line = "superstep 1234, 56.7 s, waiting for rank 3 on a-host-with-a-very-long-name";
  for (std::size_t columns = 0; columns < 90; ++columns)
    EXPECT_LE(fitted(line, columns).size(), columns);
}

}  // namespace
}  // namespace lbsp::command_line
