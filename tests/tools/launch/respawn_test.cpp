#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

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
    EXPECT_EQ(report["finished"], true);
    EXPECT_EQ(report["on_failure"], "respawn");
    ASSERT_EQ(report["changes"].size(), 1U);
    EXPECT_EQ(report["changes"][0]["seated"], std::vector<int>{rank});
    EXPECT_EQ(report["lost"][0]["rank"], rank);
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
  EXPECT_EQ(job.report()["changes"][0]["seated"], std::vector<int>{2});
  job.expect_nothing_left();
}

TEST(Respawning, begins_again_as_a_whole_where_the_program_keeps_no_parts) {
  LastingRun job = respawning(3, {}, 0);
  job.signal(2, SIGKILL);
  expect_survivors(job.wait(), " 0 1 2", 3, 500);
  job.expect_nothing_left();
}

}  // namespace
}  // namespace lbsp::test
