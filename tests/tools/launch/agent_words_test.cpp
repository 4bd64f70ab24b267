// What an agent says that is none, or does not come to be one.
#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "lbsp/job/frame.hpp"
#include "tests/tools/launch/agent_script.hpp"

namespace lbsp::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(LaunchAgent, that_prints_a_greeting_first_is_found_out) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "echo Welcome to $host\nexec \"$@\"");
  const auto outcome =
      run(over_hosts(folder, "a address=127.0.0.1\n", script, {"--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              AllOf(StartsWith("lbsp: host a: it says \"Welcome to a\""),
                    EndsWith(": let its login shell print nothing when it is not interactive\n")));
}

/// Shorter than the head of a frame: it ends before it can be taken for another protocol.
TEST(LaunchAgent, that_prints_a_short_word_and_ends_is_quoted) {
  const TemporaryFolder folder;
  for (const auto& [printed, quoted] :
       {std::pair("echo; echo hi", "hi"), {"printf 'a\\033\\001'", "a??"}, {"printf 'ok\nno\n'", "ok"}}) {
    const auto script = agent_script(folder, printed);
    const auto outcome =
        run(over_hosts(folder, "a address=127.0.0.1\n", script, {"--", built("job_probe"), "steps", "1"}));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors,
                StartsWith(fmt::format("lbsp: host a: it says \"{}\" where an lbsp agent should "
                                       "answer: ",
                                       quoted)));
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1);
  }
}

TEST(LaunchAgent, that_prints_a_short_word_and_hangs_is_quoted) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "echo hi\nsleep 1000");
  const auto outcome = run(over_hosts(folder, "a address=127.0.0.1\n", script,
                                      {"--start-timeout", "300ms", "--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("it says \"hi\" where an lbsp agent should answer"));
}

TEST(LaunchAgent, that_fails_is_quoted) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "echo first >&2\necho no way to $host >&2\nexit 255");
  const auto outcome =
      run(over_hosts(folder, "a address=127.0.0.1\n", script, {"--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: host a: no way to a: check that"));
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1);
}

/// Neither what a launcher says, nor a second word of its version.
TEST(LaunchAgent, that_says_what_no_agent_says_is_gone) {
  using job::FrameKind;
  for (const auto kind : {FrameKind::kill, FrameKind::welcome, FrameKind::host_ready}) {
    const TemporaryFolder folder;
    const std::string version = std::to_string(job::protocol_version);
    const std::string words = folder.write(
        "words", job::encode({FrameKind::host_ready, 0, version}) + job::encode({kind, 0, version}));
    const auto script = agent_script(folder, "cat " + words + "\nsleep 1000");
    const auto outcome =
        run(over_hosts(folder, "a address=127.0.0.1\n", script, {"--", built("job_probe"), "steps", "1"}));
    EXPECT_EQ(outcome.code, 1) << "signal " << outcome.signal;
    EXPECT_EQ(outcome.errors, "lbsp: host a: it speaks out of turn: use the same lbsp everywhere\n");
  }
}

/// A launcher that is none; a malformed frame, and one that an agent itself sends.
TEST(LaunchAgent, says_why_it_leaves_what_is_no_launcher) {
  for (const std::string& words :
       {std::string("\xff\xff\xff\xff\x01\x01\x01"), job::encode({job::FrameKind::exited, 0, "{}"})}) {
    const Outcome outcome =
        Command({"sh", "-c", "cat | " + built("lbsp") + " agent | cat"}, {.input = words}).wait();
    EXPECT_THAT(outcome.errors, StartsWith("lbsp: what began this agent is no launcher: "));
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1);
  }
}

TEST(LaunchAgent, says_that_it_hears_no_pipe) {
  const Outcome outcome = Command({"sh", "-c", built("lbsp") + " agent < /dev/null | cat"}).wait();
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: descriptor 0 is no pipe: "));
}

TEST(LaunchAgent, that_hangs_is_given_up) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "sleep 1000");
  const auto outcome = run(over_hosts(folder, "a address=127.0.0.1\n", script,
                                      {"--start-timeout", "300ms", "--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              StartsWith("lbsp: rank 0 on a never started: its host did not answer within 300ms"));
}

}  // namespace
}  // namespace lbsp::test
