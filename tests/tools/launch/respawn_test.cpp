#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/slowness.hpp"
#include "tests/tools/launch/agent_script.hpp"
#include "tests/tools/launch/lasting_run.hpp"

namespace lbsp::test {
namespace {

int parent_of(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string name;
  std::string state;
  int parent = 0;
  stat >> pid >> name >> state >> parent;
  return parent;
}

/// Of the processes that have written theirs.
std::vector<int> pids_in(const TemporaryFolder& folder) {
  std::vector<int> pids;
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    pids.push_back(std::stoi(file.path().filename()));
  return pids;
}

/// Its ranks have the parts that they had at the job's start.
LastingRun respawning(int ranks, const std::vector<std::string>& options = {}, int every = 10) {
  return LastingRun(ranks, options, 500, every, "respawn");
}

TEST(Respawning, gives_the_place_and_the_state_of_a_killed_rank_to_a_new_process) {
  for (const int rank : {0, 2}) {
    LastingRun job = respawning(5);
    job.signal(rank, SIGKILL);
    expect_survivors(job.wait(), " 0 1 2 3 4", 5, 500, 10);
    const auto report = job.report();
    EXPECT_LT(report["changes"][0]["stood_still"], 1.0 * slowness()) << "of two seconds to miss it";
    EXPECT_EQ(report["finished"], true);
    EXPECT_EQ(report["on_failure"], "respawn");
    ASSERT_EQ(report["changes"].size(), 1U);
    EXPECT_EQ(report["changes"][0]["seated"], std::vector<int>{rank});
    EXPECT_EQ(report["lost"][0]["rank"], rank);
    EXPECT_EQ(report["network"]["epoch"], 1) << "its loss is of the world that followed";
    job.expect_nothing_left();
  }
}

TEST(Respawning, gives_those_of_two_where_datagrams_are_lost_too) {
  LastingRun job = respawning(6, {"--survive", "2", "--wan", "loss=10%,rtt=6ms"}, 7);
  job.signal(1, SIGKILL);
  job.signal(4, SIGKILL);
  expect_survivors(job.wait(), " 0 1 2 3 4 5", 6, 500, 7);
  job.expect_nothing_left();
}

TEST(Respawning, ends_a_rank_that_was_frozen_when_a_new_process_has_its_place) {
  LastingRun job = respawning(4);
  job.signal(1, SIGSTOP);
  expect_survivors(job.wait(), " 0 1 2 3", 4, 500, 10);
  job.expect_nothing_left();
}

TEST(Respawning, takes_a_spare_slot_of_another_host_when_a_host_is_gone) {
  const TemporaryFolder folder;
  const std::string agent = agent_script(folder, "exec \"$@\"");
  const std::string hosts = "one address=127.0.0.1 slots=2\ntwo address=127.0.0.1\nthree address=127.0.0.1\n";
  LastingRun job = respawning(3, over_hosts(folder, hosts, agent, {}));
  ::kill(parent_of(job.pids[2]), SIGKILL);
  expect_survivors(job.wait(), " 0 1 2", 3, 500, 10);
  const auto report = job.report();
  EXPECT_EQ(report["changes"][0]["seated"], std::vector<int>{2});
  EXPECT_EQ(report["lost"][0]["host"], "two");
  EXPECT_EQ(report["per_rank"][2]["host"], "three");
  job.expect_nothing_left();
}

TEST(Respawning, does_not_wait_for_a_new_process_where_there_is_no_slot_for_it) {
  const TemporaryFolder folder;
  const std::string agent = agent_script(folder, "exec \"$@\"");
  const std::string hosts = "one address=127.0.0.1 slots=3\ntwo address=127.0.0.1\n";
  LastingRun job = respawning(4, over_hosts(folder, hosts, agent, {}));
  ::kill(parent_of(job.pids[3]), SIGKILL);
  expect_survivors(job.wait(), " 0 1 2", 3, 500, 10);
  EXPECT_LT(job.report()["changes"][0]["stood_still"], 3.0 * slowness()) << "ten seconds for nothing";
  job.expect_nothing_left();
}

TEST(Respawning, ends_with_what_to_do_where_a_host_is_gone_and_too_few_are_left) {
  const TemporaryFolder folder;
  const std::string agent = agent_script(folder, "exec \"$@\"");
  LastingRun job =
      respawning(2, over_hosts(folder, "one address=127.0.0.1\ntwo address=127.0.0.1\n", agent, {}));
  ::kill(parent_of(job.pids[0]), SIGKILL);
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(lines_of(reason_in(outcome)).back(),
              testing::MatchesRegex(
                  "lbsp: too few ranks were left to go on.*, after host one: .*: see whether it is up, "
                  "and what ended lbsp or the connection there"));
}

/// The launcher still reaches the host, as by another network, and the ranks do not: a new process there hears nobody.
TEST(Respawning, says_for_whom_it_waits_and_does_not_wait_for_a_new_process_that_nobody_hears) {
  if (::system("unshare -rn ip link set lo up 2> /dev/null") != 0)
    GTEST_SKIP() << "no network namespaces here";
  const TemporaryFolder folder;
  const TemporaryFolder pids;
  const std::string report = folder.path() / "report.json";
  const std::string agent = agent_script(folder, "exec \"$@\"");
  // All processes that are started when the file is there are cut off.
  const std::string program =
      R"([ -e "$0" ] && exec unshare -rn sh -c 'ip link set lo up && exec "$@"' sh "$@"; exec "$@")";
  std::vector<std::string> words =
      over_hosts(folder, "one address=127.0.0.1 slots=3\ntwo address=127.0.0.1\n", agent,
                 {"-n", "4", "--on-failure", "respawn", "--peer-timeout", "1s", "--json", report, "--", "sh",
                  "-c", program, folder.path() / "cut"});
  const auto probe = survival_probe(500, 10, pids);
  words.insert(words.end(), probe.begin(), probe.end());
  Command job(lbsp_run(words));
  const auto ranks = wait_for_pids(pids, 4);
  ASSERT_EQ(ranks.size(), 4U);
  std::this_thread::sleep_for(std::chrono::milliseconds{200});
  std::ofstream(folder.path() / "cut") << "\n";
  ::kill(ranks[3], SIGSTOP);
  const Outcome outcome = job.wait();
  expect_survivors(outcome, " 0 1 2", 3, 500, 10);
  EXPECT_THAT(outcome.errors,
              testing::HasSubstr(
                  "lbsp: rank 3 on two is missed: the others wait for a new process in its place, on two, "
                  "for 10 s at most\n"));
  EXPECT_THAT(outcome.errors, testing::HasSubstr("3 ranks go on without it"));
  const auto changes = nlohmann::json::parse(folder.read("report.json"))["changes"];
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_LT(changes[0]["stood_still"], 5.0 * slowness()) << "ten seconds for a process that nobody hears";
  EXPECT_TRUE(disappears(ranks[3]));
}

TEST(Respawning, goes_on_from_a_state_that_was_kept_when_it_was_planned) {
  LastingRun job = respawning(4, {}, planned);
  job.signal(0, SIGKILL);
  expect_survivors(job.wait(), " 0 1 2 3", 4, 500, planned);
  job.expect_nothing_left();
}

TEST(Respawning, begins_again_as_a_whole_where_the_program_keeps_no_parts) {
  LastingRun job = respawning(3, {}, 0);
  job.signal(2, SIGKILL);
  expect_survivors(job.wait(), " 0 1 2", 3, 500);
  job.expect_nothing_left();
}

/// New processes for them were started, too, and are not where they are.
TEST(Respawning, finds_the_ranks_that_were_frozen_where_they_were) {
  LastingRun job = respawning(4, {"--survive", "2"});
  for (const int rank : {0, 1})
    job.signal(rank, SIGSTOP);
  std::this_thread::sleep_for(2 * peer_timeout);
  for (const int rank : {0, 1})
    job.signal(rank, SIGCONT);
  expect_survivors(job.wait(), " 0 1 2 3", 4, 500, 10);
  const auto changes = job.report()["changes"];
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0]["seated"], (std::vector<int>{2, 3}));
  job.expect_nothing_left();
}

TEST(Respawning, ends_where_the_rank_that_has_to_agree_stays_frozen) {
  LastingRun job = respawning(2);
  job.signal(0, SIGSTOP);
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome), testing::HasSubstr("lbsp: rank 0 on localhost has been stopped for 7s"));
  job.expect_nothing_left();
}

TEST(Respawning, ends_where_each_new_process_crashes_again) {
  const Outcome outcome = run({"-n", "3", "--on-failure", "respawn", "--peer-timeout", "300ms", "--",
                               built("job_probe"), "crash", "1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      reason_in(outcome),
      testing::HasSubstr("lbsp: rank 1 was lost 5 times in a row, and the job got no further, the last time: "
                         "rank 1 on localhost was killed by SIGSEGV: build it with "));
}

/// Each new process stops itself, and only the others miss it.
TEST(Respawning, is_given_up_where_each_new_process_is_silent_again) {
  const TemporaryFolder folder;
  const std::string errors = folder.path() / "errors";
  Command job({"sh", "-c", R"(errors=$0; exec "$@" 2>"$errors")", errors, built("lbsp"), "run", "-n", "3",
               "--on-failure", "respawn", "--peer-timeout", "300ms", "--", built("job_probe"), "kill-self",
               "1", std::to_string(SIGSTOP)});
  EXPECT_TRUE(wait_until(
      [&] {
        return folder.read("errors").find(
                   ": 2 ranks go on without it (lost 4 times in a row without progress)") !=
               std::string::npos;
      },
      60s));
  job.signal(SIGINT);
  EXPECT_EQ(job.wait().code, 128 + SIGINT);
  const auto lines = lines_of(folder.read("errors"));
  ASSERT_GE(lines.size(), 4U);
  EXPECT_THAT(lines[0],
              testing::MatchesRegex("lbsp: rank 1 on localhost was .*: a new process has its place"));
}

/// It dies in its second superstep whatever process it is, as where its memory runs out there.
TEST(Respawning, ends_where_each_new_process_is_killed_before_it_gets_further) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run({"-n", "3", "--on-failure", "respawn", "--peer-timeout", "300ms", "--json",
           folder.path() / "report.json", "--", built("job_probe"), "kill-self", "1", "9"});
  EXPECT_EQ(outcome.code, 1);
  const auto lines = lines_of(reason_in(outcome));
  const std::string killed =
      "lbsp: rank 1 on localhost was killed by SIGKILL: somebody did kill -9, or memory ran out there (see dmesg): "
      "a new process has its place";
  ASSERT_EQ(lines.size(), 5U) << outcome.errors;
  EXPECT_EQ(lines[0], killed);
  for (int times = 2; times < 5; ++times)
    EXPECT_EQ(lines[static_cast<std::size_t>(times) - 1],
              killed + " (lost " + std::to_string(times) + " times in a row without progress)");
  EXPECT_EQ(
      lines[4],
      "lbsp: rank 1 was lost 5 times in a row, and the job got no further, the last time: rank 1 on localhost "
      "was killed by SIGKILL: somebody did kill -9, or memory ran out there (see dmesg)");
  const auto report = nlohmann::json::parse(folder.read("report.json"));
  ASSERT_EQ(report["lost"].size(), 5U);
  EXPECT_EQ(report["lost"][4]["in_a_row"], 5);
  EXPECT_THAT(outcome.errors, testing::ContainsRegex(
                                  "lost        rank 1 after .* \\(5 times in a row without progress\\): "));
}

/// The bytes of the file that it writes; with a signal, one of its processes dies in the middle.
std::string result_of(int ranks, std::vector<std::string> program, bool kills_one) {
  const TemporaryFolder pids;
  const TemporaryFolder folder;
  const std::string out = folder.path() / "out.npy";
  const std::string report = folder.path() / "report.json";
  program.front() = built(program.front());
  std::vector<std::string> words = {"-n",
                                    std::to_string(ranks),
                                    "--on-failure",
                                    "respawn",
                                    "--peer-timeout",
                                    "2s",
                                    "--wan",
                                    "loss=10%,rtt=20ms",
                                    "--json",
                                    report,
                                    "--",
                                    "sh",
                                    "-c",
                                    R"(echo $$ > "$0/$$"; exec "$@")",
                                    pids.path()};
  words.insert(words.end(), program.begin(), program.end());
  words.insert(words.end(), {"--verify", "--out", out});
  Command job(lbsp_run(words));
  if (kills_one) {
    const auto all_are_there = [&] { return pids_in(pids).size() == static_cast<std::size_t>(ranks); };
    EXPECT_TRUE(wait_until(all_are_there, std::chrono::seconds{10}));
    std::this_thread::sleep_for(std::chrono::milliseconds{700});
    ::kill(pids_in(pids).back(), SIGKILL);
  }
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const auto told = nlohmann::json::parse(folder.read("report.json"));
  EXPECT_EQ(told["verified"], true);
  EXPECT_EQ(told["changes"].size(), kills_one ? 1U : 0U);
  return folder.read("out.npy");
}

TEST(Respawning, has_the_ready_programs_come_to_the_same_bits) {
  const std::vector<std::pair<int, std::vector<std::string>>> programs = {
      {5, {"jacobi", "--size", "65", "--iterations", "200"}},
      {4, {"matmul", "--size", "384", "--algorithm", "summa", "--memory", "8KiB"}}};
  for (const auto& [ranks, program] : programs)
    EXPECT_EQ(result_of(ranks, program, true), result_of(ranks, program, false)) << program.front();
}

}  // namespace
}  // namespace lbsp::test
