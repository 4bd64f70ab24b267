// Hosts that join a running job.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/command.hpp"
#include "tests/tools/launch/agent_script.hpp"
#include "tests/tools/launch/growing_run.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;
using namespace std::chrono_literals;

/// What `lbsp watch` tells of each rank; none if it tells nothing.
nlohmann::json seen_ranks(int job) {
  const Outcome outcome = Command({built("lbsp"), "watch", std::to_string(job), "--json", "-"}).wait();
  return outcome.code == 0 ? nlohmann::json::parse(outcome.output)["per_rank"] : nlohmann::json::array();
}

TEST(Joining, is_seen_with_the_supersteps_of_the_whole_job) {
  constexpr int before = 2000;
  GrowingRun job({"-n", "2", "--on-failure", "shrink"}, relaxation());
  const auto superstep = [&](std::size_t rank) {
    const nlohmann::json ranks = seen_ranks(job.number());
    if (ranks.size() <= rank || ranks[rank]["superstep"].is_null()) return -1;
    return ranks[rank]["superstep"].get<int>();
  };
  ASSERT_TRUE(wait_until([&] { return superstep(0) >= before; }, 60s));
  ASSERT_EQ(join_job(job.number(), {"localhost"}).code, 0);
  int joined = -1;
  EXPECT_TRUE(wait_until([&] { return (joined = superstep(2)) > 0; }, 60s));
  EXPECT_GE(joined, before) << "a rank that has joined is where the others are";
  expect_grown(job, 1);
}

TEST(Joining, gives_a_running_job_a_rank_more) {
  GrowingRun job({"-n", "2", "--on-failure", "shrink"}, relaxation());
  const Outcome joined = join_early(job.number(), {"localhost"});
  EXPECT_EQ(joined.output, "joined as rank 2 of 3, on localhost\n") << joined.errors;
  expect_grown(job, 1);
}

TEST(Joining, gives_a_job_two_at_once_where_datagrams_are_lost_and_ranks_respawned) {
  GrowingRun job({"-n", "2", "--on-failure", "respawn", "--wan", "loss=5%,rtt=1ms"}, relaxation());
  EXPECT_EQ(join_early(job.number(), {"localhost"}).code, 0);
  Command one(joining(job.number(), {"localhost"}));
  Command other(joining(job.number(), {"localhost"}));
  EXPECT_EQ(one.wait().code, 0);
  EXPECT_EQ(other.wait().code, 0);
  expect_grown(job, 3);
}

TEST(Joining, says_why_a_host_cannot) {
  GrowingRun job({"-n", "2", "--on-failure", "shrink"}, relaxation());
  EXPECT_EQ(join_early(job.number(), {"localhost"}).code, 0);
  EXPECT_EQ(join_job(job.number(), {"no.such.host.invalid"}).code, 1);
  EXPECT_THAT(join_job(job.number(), {"192.0.2.1"}).errors,
              StartsWith("lbsp: host 192.0.2.1: all ranks of this job are on one machine"));
  expect_grown(job, 1);
}

/// What a job of this program answers, with these options.
std::string refusal_of(const std::vector<std::string>& options, const std::vector<std::string>& program) {
  Command job([&] {
    std::vector<std::string> words = options;
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return lbsp_run(words);
  }());
  const auto answers = [](const Outcome& one) {
    return one.errors.find("lbsp: no job") == std::string::npos;
  };
  const Outcome outcome = join_until(answers, job.pid(), {"localhost"});
  job.signal(SIGTERM);
  job.wait();
  EXPECT_EQ(outcome.code, 1);
  return outcome.errors;
}

TEST(Joining, is_refused_at_once_where_the_job_cannot_grow) {
  EXPECT_THAT(refusal_of({"-n", "2"}, relaxation()),
              StartsWith("lbsp: this job ends with any of its ranks, and takes none more: "));
  const TemporaryFolder pids;
  EXPECT_THAT(
      refusal_of({"-n", "2", "--on-failure", "shrink"}, {built("survivor_probe"), "100000", pids.path()}),
      StartsWith("lbsp: its program cannot go on with more ranks, or has not come so far: "));
}

TEST(Joining, is_refused_where_there_is_no_job_and_no_host) {
  EXPECT_THAT(join_job(1, {"localhost"}).errors,
              StartsWith("lbsp: no job 1 of yours runs here that others may join"));
  EXPECT_THAT(Command({built("lbsp"), "join", "x", "localhost"}).wait().errors,
              StartsWith("lbsp: x is no job: "));
  EXPECT_THAT(Command({built("lbsp"), "join", "1"}).wait().errors,
              StartsWith("lbsp: no host to join a job: "));
  EXPECT_THAT(join_job(1, {"--"}).errors, StartsWith("lbsp: "));
}

TEST(Joining, takes_one_word_each_for_the_host_its_user_and_its_address) {
  const auto refusal = [](const std::vector<std::string>& words) {
    const Outcome outcome = join_job(1, words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(lines_of(outcome.errors).size(), 1U) << outcome.errors;
    return outcome.errors;
  };
  for (const char* const host : {"h6 slots=2", "h6 # mine", "h6\nh7", "user=ann", "ann@h6", " ", "#"})
    EXPECT_THAT(refusal({host}), AllOf(StartsWith("lbsp: HOST: \""), HasSubstr("\" is no host name: write "),
                                       EndsWith("and the user as --user NAME\n")));
  EXPECT_THAT(refusal({"h6", "--user", "ann slots=2"}),
              StartsWith("lbsp: --user \"ann slots=2\": write letters, digits and "));
  EXPECT_THAT(refusal({"h6", "--user", " "}), StartsWith("lbsp: --user \" \": write "));
  EXPECT_THAT(refusal({"h6", "--address", "10.0.0.1 user=ann"}),
              StartsWith("lbsp: --address \"10.0.0.1 user=ann\": write an IP address, or "));
}

/// Whoever joined later would send to that other host what is for this one.
TEST(Joining, is_refused_at_an_address_that_is_another_hosts) {
  const TemporaryFolder folder;
  GrowingRun job(over_hosts(folder, "a slots=2 address=192.0.2.1\n", agent_script(folder, "exec \"$@\""),
                            {"-n", "2", "--on-failure", "shrink"}),
                 relaxation());
  const auto is_tried = [](const Outcome& one) {
    return one.errors.find("the address 192.0.2.1") != std::string::npos;
  };
  const Outcome refused = join_until(is_tried, job.number(), {"b", "--address", "192.0.2.1"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.errors,
            "lbsp: the address 192.0.2.1 is not one of this host, but of host a: give this host's own by "
            "--address to lbsp join\n");
  EXPECT_THAT(join_job(job.number(), {"b", "--address", "999"}).errors,
              StartsWith("lbsp: host b: 999 means the address 0.0.3.231, which no host has: "));
  EXPECT_EQ(job.wait().code, 0);
}

/// Their hosts cannot be reached.
TEST(Joining, takes_no_number_of_a_rank_where_it_comes_to_nothing) {
  const TemporaryFolder folder;
  GrowingRun job(by_agent(folder, "case $host in broken) exit 3;; esac; exec \"$@\""), relaxation());
  const auto is_tried = [](const Outcome& one) {
    return one.errors.find("host broken: ") != std::string::npos;
  };
  join_until(is_tried, job.number(), {"broken", "--address", "127.0.0.1"});
  EXPECT_EQ(join_job(job.number(), {"broken", "--address", "127.0.0.1"}).code, 1);
  EXPECT_EQ(join_job(job.number(), {"b", "--address", "127.0.0.1"}).output, "joined as rank 2 of 3, on b\n");
  EXPECT_EQ(job.wait().code, 0);
  const auto report = job.report();
  EXPECT_EQ(report["ranks"], 3);
  EXPECT_EQ(report["changes"][0]["members"], (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(report["lost"].size(), 2U);
  EXPECT_EQ(report["lost"][0]["host"], "broken");
  EXPECT_EQ(report["per_rank"][2]["host"], "b");
}

/// A host of the file that the job does not use, under the name that it has there.
TEST(Joining, finds_a_host_by_its_name_in_the_jobs_hosts_file) {
  const TemporaryFolder folder;
  const std::string hosts = "a slots=2 address=127.0.0.1\nspare.invalid address=127.0.0.1\n";
  GrowingRun job(
      over_hosts(folder, hosts, agent_script(folder, "exec \"$@\""), {"-n", "2", "--on-failure", "shrink"}),
      relaxation());
  const Outcome outcome = join_early(job.number(), {"spare.invalid"});
  EXPECT_EQ(outcome.output, "joined as rank 2 of 3, on spare.invalid\n") << outcome.errors;
  expect_grown(job, 1);
}

TEST(Joining, tells_the_rank_that_messages_and_the_report_name_also_where_ranks_have_been_lost) {
  const TemporaryFolder pids;
  std::vector<std::string> program = {"sh", "-c", R"(echo $$ > "$0/$$"; exec "$@")", pids.path()};
  const auto words = relaxation(50'000);
  program.insert(program.end(), words.begin(), words.end());
  GrowingRun job({"-n", "3", "--on-failure", "shrink"}, program);
  std::vector<int> running;
  ASSERT_TRUE(wait_until(
      [&] {
        running.clear();
        for (const auto& file : std::filesystem::directory_iterator(pids.path()))
          running.push_back(std::stoi(file.path().filename()));
        return running.size() == 3;
      },
      20s));
  ASSERT_TRUE(wait_until([&] { return seen_ranks(job.number()).size() == 3; }, 20s));
  std::this_thread::sleep_for(300ms);
  ::kill(running.front(), SIGKILL);
  std::this_thread::sleep_for(500ms);
  const Outcome outcome = join_early(job.number(), {"localhost"});
  EXPECT_EQ(outcome.output, "joined as rank 3, on localhost, and 3 ranks go on\n") << outcome.errors;
  EXPECT_EQ(job.wait().code, 0);
  const auto changes = job.report()["changes"];
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[1]["joined"], std::vector<int>{3});
}

/// With an agent, as on another host.
TEST(Joining, starts_the_process_on_another_host) {
  const TemporaryFolder folder;
  GrowingRun job(by_agent(folder, "exec \"$@\""), relaxation());
  const Outcome outcome = join_early(job.number(), {"b", "--address", "127.0.0.1"});
  EXPECT_EQ(outcome.output, "joined as rank 2 of 3, on b\n") << outcome.errors;
  expect_grown(job, 1);
  EXPECT_EQ(job.report()["per_rank"].size(), 3U);
}

}  // namespace
}  // namespace lbsp::test
