// A job over a bed of which one part is killed: the router, a rank, mpirun, the launcher. The job ends with
// one line, and after `down` nothing is left.
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/marked_processes.hpp"
#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::string> lbsp_lines(const std::string& errors) {
  std::vector<std::string> lines;
  std::istringstream in(errors);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("lbsp: ")) lines.push_back(line);
  }
  return lines;
}

class KilledBed : public Bed {
 protected:
  /// A bed of four hosts and a job on it that syncs for ever, on its way when this returns.
  void start(bool over_mpi) {
    ASSERT_EQ(up({"-n", "4", "--wan", "loss=1%,rtt=10ms"}).code, 0);
    router_ = router();
    const Words job = {"--peer-timeout", "5s", "--", built("job_probe"), "pids", folder_of_pids_.path()};
    job_ = std::make_unique<Command>(over_mpi ? mpi_run_words(job) : run_words(job),
                                     CommandSettings{.environment = {{mark_variable, name_}}});
    ranks_ = wait_for_pids(folder_of_pids_, 4);
    ASSERT_THAT(ranks_, SizeIs(4));
  }

  /// The job ends by itself with that in one line.
  void expect_end(const std::string& part, int code = 1) {
    const auto outcome = job_->wait(60s);
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.code, code);
    const auto lines = lbsp_lines(reason_in(outcome));
    EXPECT_THAT(lines, SizeIs(1)) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr(part));
  }

  void take_down() {
    const auto outcome = down();
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
  }

  void expect_nothing_left_after_down() {
    take_down();
    EXPECT_THAT(processes_marked(name_), SizeIs(0));
    EXPECT_TRUE(disappears(router_));
    EXPECT_FALSE(fs::exists(folder()));
  }

  void expect_ranks_gone() {
    for (const int rank : ranks_)
      EXPECT_TRUE(disappears(rank)) << "process " << rank << " is left";
  }

  const TemporaryFolder folder_of_pids_;
  std::unique_ptr<Command> job_;
  std::vector<int> ranks_;
  int router_ = 0;
};

/// Over lbsp and over MPI.
class EitherJob : public KilledBed, public testing::WithParamInterface<bool> {
 protected:
  void start() { KilledBed::start(GetParam()); }
};

TEST_P(EitherJob, ends_when_the_router_is_killed) {
  start();
  ::kill(router_, SIGKILL);
  expect_end("lbsp: ");
  expect_ranks_gone();
  expect_nothing_left_after_down();
}

TEST_P(EitherJob, ends_when_a_rank_is_killed) {
  start();
  ::kill(ranks_.back(), SIGKILL);
  expect_end("lbsp: ");
  expect_ranks_gone();
  expect_nothing_left_after_down();
}

TEST_P(EitherJob, leaves_nothing_when_its_launcher_is_killed) {
  start();
  job_->signal(SIGKILL);
  EXPECT_EQ(job_->wait().signal, SIGKILL);
  expect_ranks_gone();
  expect_nothing_left_after_down();
}

TEST_P(EitherJob, is_ended_by_down_with_the_bed) {
  start();
  take_down();
  // With MPI the launcher itself is on the bed.
  expect_end(GetParam() ? "lbsp: ended by SIGTERM" : "lbsp: ", GetParam() ? 128 + SIGTERM : 1);
  expect_ranks_gone();
  EXPECT_THAT(processes_marked(name_), SizeIs(0));
}

INSTANTIATE_TEST_SUITE_P(OverLbsp, EitherJob, testing::Values(false));

#ifdef LBSP_WITH_MPI
INSTANTIATE_TEST_SUITE_P(OverMpi, EitherJob, testing::Values(true));

// When the first host is given up, mpirun writes to the others, which then no keepalive watches.
TEST_F(KilledBed, ends_a_job_over_mpi_whose_hosts_fall_silent_one_after_another) {
  start(true);
  for (const char* way : {"--from", "--to"})
    ASSERT_EQ(change({"--wan", "loss=100%", way, "h1"}).code, 0);
  std::this_thread::sleep_for(2s);
  ASSERT_EQ(change({"--wan", "loss=100%"}).code, 0);
  expect_end("it has lost a host");
  expect_ranks_gone();
  expect_nothing_left_after_down();
}

TEST_F(KilledBed, ends_a_job_over_mpi_whose_mpirun_is_killed) {
  start(true);
  const int mpirun = child_of(job_->pid(), "mpirun");
  ASSERT_NE(mpirun, 0);
  ::kill(mpirun, SIGKILL);
  expect_end("lbsp: mpirun was killed by SIGKILL");
  expect_ranks_gone();
  expect_nothing_left_after_down();
}
#endif

}  // namespace
}  // namespace lbsp::test
