// Hosts that are slow to join a running job, or never do.
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/slowness.hpp"
#include "tests/tools/command.hpp"
#include "tests/tools/launch/agent_script.hpp"
#include "tests/tools/launch/growing_run.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;
using namespace std::chrono_literals;

/// A job on host a, whose states are kept so late that a process of another host knocks for a while. The agents of
/// those write their process ids. `away` does not answer.
class LateJoining : public Test {
 protected:
  explicit LateJoining(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"-n", "2", "--on-failure", "shrink", "--wan", "rtt=1ms"});
    const auto more = over_hosts(
        folder_, "a slots=2 address=127.0.0.1\n",
        agent_script(folder_, "echo $$ > " + folder_.path().string() +
                                  "/$host; case $host in away*) exec sleep 1000;; esac; exec \"$@\""),
        {});
    options.insert(options.end(), more.begin(), more.end());
    job_.emplace(options, std::vector<std::string>{built("jacobi"), "--size", "65", "--iterations", "12000",
                                                   "--keep", "4000", "--verify"});
  }

  void SetUp() override {
    ASSERT_TRUE(wait_until(
        [&] {
          return join_job(job_->number(), {"no.such.host.invalid"}).errors.find("no.such.host.invalid") !=
                 std::string::npos;
        },
        20s));
  }

  /// Its agent has been started.
  std::unique_ptr<Command> begin_to_join(const std::string& host) {
    auto joining = std::make_unique<Command>(std::vector<std::string>{
        built("lbsp"), "join", std::to_string(job_->number()), host, "--address", "127.0.0.1"});
    EXPECT_TRUE(wait_until([&] { return agent_of(host) != 0; }, 20s));
    return joining;
  }
  int agent_of(const std::string& host) const {
    const std::string text = folder_.read(host);
    return text.empty() ? 0 : std::stoi(text);
  }
  /// The rank's process, when it has had time to knock.
  int rank_on(const std::string& host) const {
    int pid = 0;
    EXPECT_TRUE(wait_until([&] { return (pid = child_of(agent_of(host), "jacobi")) != 0; }, 20s));
    std::this_thread::sleep_for(200ms);
    return pid;
  }

  TemporaryFolder folder_;
  std::optional<GrowingRun> job_;
};

TEST_F(LateJoining, takes_no_number_of_a_rank_where_the_process_ends_before_it_is_let_in) {
  const auto lost = begin_to_join("b");
  ::kill(rank_on("b"), SIGKILL);
  EXPECT_THAT(lost->wait().errors, StartsWith("lbsp: rank 2 on b was killed by SIGKILL"));
  EXPECT_EQ(begin_to_join("c")->wait().output, "joined as rank 2 of 3, on c\n");
  expect_grown(*job_, 1, 1);
  EXPECT_EQ(job_->report()["ranks"], 3);
  EXPECT_EQ(job_->report()["per_rank"].size(), 3U);
}

TEST_F(LateJoining, is_withdrawn_by_an_interrupt_of_lbsp_join) {
  const auto withdrawn = begin_to_join("b");
  const int pid = rank_on("b");
  withdrawn->signal(SIGINT);
  const Outcome outcome = withdrawn->wait();
  EXPECT_TRUE(outcome.signal == SIGINT || outcome.code == 130) << outcome.code;
  EXPECT_TRUE(disappears(pid));
  EXPECT_TRUE(disappears(agent_of("b"))) << "nothing of the host is needed any more";
  EXPECT_EQ(begin_to_join("c")->wait().output, "joined as rank 2 of 3, on c\n");
  expect_grown(*job_, 1, 1);
  EXPECT_EQ(job_->report()["per_rank"].size(), 3U);
  EXPECT_EQ(job_->report()["lost"][0]["how"], "it never joined: its lbsp join was ended");
}

TEST_F(LateJoining, leaves_no_gap_where_a_later_one_has_joined) {
  const auto first = begin_to_join("b");
  const auto second = begin_to_join("c");
  ::kill(rank_on("b"), SIGKILL);
  EXPECT_EQ(first->wait().code, 1);
  const auto third = begin_to_join("d");
  EXPECT_EQ(second->wait().code, 0);
  EXPECT_EQ(third->wait().code, 0);
  expect_grown(*job_, 2, 1);
  EXPECT_EQ(job_->report()["per_rank"].size(), 4U);
}

class UnreachableHosts : public LateJoining {
 protected:
  UnreachableHosts() : LateJoining({"--start-timeout", "1s"}) {}
};

TEST_F(UnreachableHosts, are_given_up_with_the_start_timeout_and_the_job_does_not_wait_for_them) {
  EXPECT_EQ(begin_to_join("away")->wait().errors,
            "lbsp: rank 2 on away never started: its host did not answer within 1s: check the way to it, or "
            "give --start-timeout more\n");
  EXPECT_TRUE(disappears(agent_of("away")));
  const auto withdrawn = begin_to_join("away2");
  withdrawn->signal(SIGINT);
  withdrawn->wait();
  EXPECT_TRUE(disappears(agent_of("away2")));
  EXPECT_EQ(begin_to_join("b")->wait().output, "joined as rank 2 of 3, on b\n");
  expect_grown(*job_, 1, 2);
}

/// The process, or all of its host, stands still from then on: before or after it is let in.
TEST_F(LateJoining, loses_the_job_nothing_where_the_host_freezes) {
  const auto frozen = begin_to_join("b");
  const int pid = rank_on("b");
  ::kill(pid, SIGSTOP);
  ::kill(agent_of("b"), SIGSTOP);
  const auto joined = begin_to_join("c");
  EXPECT_EQ(joined->wait().code, 0);
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = job_->wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s * slowness());
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(job_->report()["verified"], true);
  ::kill(agent_of("b"), SIGCONT);
  ::kill(pid, SIGCONT);
  EXPECT_NE(frozen->wait().errors, "");
  EXPECT_TRUE(disappears(pid));
}

}  // namespace
}  // namespace lbsp::test
