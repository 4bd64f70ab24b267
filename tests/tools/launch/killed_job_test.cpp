// Nothing is left of a job that outlives its lbsp run when all of its processes are killed.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"
#include "tests/tools/launch/kept_socket.hpp"
#include "tests/tools/launch/lasting_run.hpp"
#include "tools/watch/job_socket.hpp"

namespace lbsp::test {
namespace {

using namespace std::chrono_literals;

/// With a folder of its own for what the system keeps of it.
class KilledJob {
 public:
  KilledJob()
      : command_(words(), {.environment = {{"TMPDIR", folder_.path()}}}), ranks_(wait_for_pids(pids_, 3)) {
    EXPECT_EQ(ranks_.size(), 3U);
    keeper_ = child_of(command_.pid(), "lbsp");
    EXPECT_NE(keeper_, 0);
  }

  int front() const { return command_.pid(); }
  int keeper() const { return keeper_; }
  Outcome wait() { return command_.wait(); }
  bool has_socket(watch::Place place) const {
    if (place == watch::Place::kept) return has_kept_socket(front());
    const auto jobs = watch::jobs(place);
    return std::ranges::find(jobs, front()) != jobs.end();
  }
  void kill_ranks() const {
    for (const int rank : ranks_)
      ::kill(rank, SIGKILL);
  }
  void expect_nothing_left() const {
    for (const int pid : ranks_)
      EXPECT_TRUE(disappears(pid)) << "rank " << pid << " is left";
    EXPECT_TRUE(disappears(keeper_));
    EXPECT_EQ(folder_.files(), 0U);
    // A thread of the launcher may end a moment after it.
    for (const watch::Place place : {watch::Place::window, watch::Place::door, watch::Place::kept})
      EXPECT_TRUE(wait_until([&] { return !has_socket(place); }, 5s));
  }

 private:
  std::vector<std::string> words() const {
    std::vector<std::string> words{"-n", "3", "--on-failure", "respawn", "--peer-timeout", "2s", "--"};
    std::ranges::move(survival_probe(1'000'000, 0, pids_), std::back_inserter(words));
    return lbsp_run(words);
  }

  TemporaryFolder pids_;
  TemporaryFolder folder_;
  Command command_;
  std::vector<int> ranks_;
  int keeper_ = 0;
};

TEST(KilledJob, leaves_nothing_when_its_launcher_is_killed) {
  KilledJob job;
  ::kill(job.keeper(), SIGKILL);
  EXPECT_EQ(job.wait().code, 128 + SIGKILL);
  job.expect_nothing_left();
}

TEST(KilledJob, leaves_nothing_when_all_of_it_is_killed_at_once) {
  KilledJob job;
  ::kill(job.keeper(), SIGKILL);
  ::kill(job.front(), SIGKILL);
  job.kill_ranks();
  job.expect_nothing_left();
}

TEST(KilledJob, leaves_nothing_when_it_is_killed_after_its_lbsp_run) {
  KilledJob job;
  ::kill(job.front(), SIGKILL);
  EXPECT_TRUE(wait_until([&] { return job.has_socket(watch::Place::kept); }, 10s));
  ::kill(job.keeper(), SIGKILL);
  job.kill_ranks();
  job.expect_nothing_left();
}

}  // namespace
}  // namespace lbsp::test
