// The words of lbsp wan, of which each has a help text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;

TEST(WanCommand, without_a_right_word_says_which_there_are) {
  expect_refusal(wan({}), "there are lbsp wan up, change, exec, stats, hosts and down");
  expect_refusal(wan({"sideways"}), "no subcommand sideways of lbsp wan");
  for (const char* command : {"up", "change", "exec", "stats", "hosts", "down"}) {
    const auto outcome = wan({command, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.output, HasSubstr("Example: lbsp wan"));
  }
}

class WanLimits : public Bed {};

TEST_F(WanLimits, of_open_files_are_named_when_they_are_too_few_for_the_hosts) {
  for (const auto& [hosts, limit] : {std::pair{"3", "9"}, {"3", "12"}, {"20", "16"}}) {
    const auto outcome = Command({"sh", "-c", "ulimit -n " + std::string(limit) + "; exec \"$@\"", "sh",
                                  built("lbsp"), "wan", "up", "--name", name_, "-n", hosts})
                             .wait();
    expect_refusal(outcome, "raise the limit of open files (ulimit -n)");
  }
}

}  // namespace
}  // namespace lbsp::test
