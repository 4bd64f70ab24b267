// The words of lbsp wan, of which each has a help text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;

TEST(WanCommand, without_a_right_word_says_which_there_are) {
  expect_refusal(wan({}), "there are lbsp wan up, change, exec, stats, hosts and down");
  expect_refusal(wan({"sideways"}), "lbsp wan has no sideways");
  for (const char* command : {"up", "change", "exec", "stats", "hosts", "down"}) {
    const auto outcome = wan({command, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.output, HasSubstr("Example: lbsp wan"));
  }
}

}  // namespace
}  // namespace lbsp::test
