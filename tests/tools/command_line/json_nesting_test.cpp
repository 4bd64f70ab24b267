#include "tools/command_line/json_nesting.hpp"

#include <gtest/gtest.h>
#include <string>

#include "transport/error.hpp"

namespace lbsp::command_line {
namespace {

std::string nested(int depth, const std::string& inside = "1") {
  std::string text;
  for (int i = 0; i < depth; ++i)
    text += i % 2 == 0 ? "[" : R"({"a": )";
  text += inside;
  for (int i = depth - 1; i >= 0; --i)
    text += i % 2 == 0 ? "]" : "}";
  return text;
}

TEST(JsonNesting, is_bounded_for_lists_and_objects_alike) {
  EXPECT_FALSE(nests_too_deep(""));
  EXPECT_FALSE(nests_too_deep(nested(deepest_nesting)));
  EXPECT_TRUE(nests_too_deep(nested(deepest_nesting + 1)));
}

TEST(JsonNesting, counts_what_is_open_at_once_and_not_what_is_there) {
  std::string many;
  for (int i = 0; i < 3 * deepest_nesting; ++i)
    many += nested(deepest_nesting) + ",\n";
  EXPECT_FALSE(nests_too_deep(many));
}

TEST(JsonNesting, knows_that_brackets_in_a_text_open_nothing) {
  const std::string brackets(2 * deepest_nesting, '[');
  EXPECT_FALSE(nests_too_deep('"' + brackets + R"(\"[\\)" + '"'));
  EXPECT_TRUE(nests_too_deep(R"("\\")" + brackets));
  EXPECT_FALSE(nests_too_deep("\"" + brackets));
  EXPECT_FALSE(nests_too_deep("\"\\"));
}

TEST(JsonNesting, that_is_too_deep_is_refused_with_the_name_of_the_file) {
  EXPECT_NO_THROW(require_shallow(nested(deepest_nesting), "net.json"));
  try {
    require_shallow(std::string(60, '[') + nested(deepest_nesting), "net.json");
    FAIL() << "it was taken";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 18), "net.json: more tha");
  }
}

}  // namespace
}  // namespace lbsp::command_line
