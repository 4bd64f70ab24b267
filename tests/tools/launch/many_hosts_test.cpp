// Jobs on so many hosts that it takes a while to reach them.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "tests/tools/launch/agent_script.hpp"
#include "tests/tools/marked_processes.hpp"
#include "tools/launch/hosts/host_starts.hpp"

namespace lbsp::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::MatchesRegex;
using testing::StartsWith;

class ManyHosts : public testing::Test {
 protected:
  /// h0, h1, …; each leaves a file when its agent begins, and does that then.
  std::vector<std::string> job(int hosts, const std::string& then, std::vector<std::string> options = {}) {
    std::string lines;
    for (int host = 0; host < hosts; ++host)
      lines += fmt::format("h{} address=127.0.0.1\n", host);
    const std::string script =
        agent_script(folder_, fmt::format(": > {}/$host\n{}", begun_.path().string(), then));
    options.insert(options.end(), {"--", built("job_probe"), "steps", "1"});
    return lbsp_run(over_hosts(folder_, lines, script, options));
  }
  std::ptrdiff_t begun() const {
    return std::distance(fs::directory_iterator(begun_.path()), fs::directory_iterator());
  }
  CommandSettings settings() const { return {.environment = {{mark_variable, mark_}}}; }

  const TemporaryFolder folder_;
  const TemporaryFolder begun_;
  const std::string mark_ = folder_.path().string();
};

TEST_F(ManyHosts, are_let_go_as_soon_as_the_user_says_so_while_they_are_being_reached) {
  constexpr int hosts = 1000;
  for (const int signal : {SIGINT, SIGTERM}) {
    Command command(job(hosts, "exec \"$@\""), settings());
    const auto before = begun();
    ASSERT_TRUE(wait_until([&] { return begun() > before; }, 20s));
    command.signal(signal);
    const auto signalled = std::chrono::steady_clock::now();
    EXPECT_EQ(command.wait().code, 128 + signal);
    EXPECT_LT(std::chrono::steady_clock::now() - signalled, 3s * patience_factor);
    EXPECT_LT(begun(), hosts / 2) << "it went on to reach them";
    EXPECT_TRUE(wait_until([&] { return processes_marked(mark_).empty(); }, 5s));
    for (const auto& file : fs::directory_iterator(begun_.path()))
      fs::remove(file);
  }
}

TEST_F(ManyHosts, are_reached_a_number_at_a_time) {
  const auto outcome = Command(job(300, "exec sleep 1000", {"--start-timeout", "3s"}), settings()).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              StartsWith("lbsp: rank 0 on h0 never started: its host did not answer within 3s: "));
  EXPECT_LE(begun(), launch::hosts::HostStarts::most_at_once);
  EXPECT_TRUE(wait_until([&] { return processes_marked(mark_).empty(); }, 5s));
}

TEST_F(ManyHosts, with_one_among_them_that_cannot_be_reached_are_let_go_with_its_name) {
  const auto outcome =
      Command(job(200, "[ $host != h170 ] || { echo no way >&2; exit 255; }\nexec \"$@\""), settings())
          .wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              StartsWith("lbsp: host h170: no way: check that this command, and lbsp there, can"));
  EXPECT_TRUE(wait_until([&] { return processes_marked(mark_).empty(); }, 5s));
}

TEST_F(ManyHosts, for_which_there_are_too_few_descriptors_are_let_go_with_a_line_of_that) {
  std::vector<std::string> words = {"sh", "-c", "ulimit -n 100; exec \"$@\"", "sh"};
  const auto command = job(100, "exec \"$@\"");
  words.insert(words.end(), command.begin(), command.end());
  const auto outcome = Command(words, settings()).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              MatchesRegex("lbsp: host h[0-9]+: (no pipe to a child process|cannot start a process): "
                           ".*raise the limits? of open files.*\n"));
  EXPECT_TRUE(wait_until([&] { return processes_marked(mark_).empty(); }, 5s));
}

}  // namespace
}  // namespace lbsp::test
