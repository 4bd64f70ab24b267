#include "lbsp/job/joining/mpi_job.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "lbsp/job/messages.hpp"
#include "lbsp/job/output_frames.hpp"
#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MpiJob {
 public:
  explicit MpiJob(const std::string& deed)
      : command_(lbsp_run({"-n", "2", "--backend", "mpi", "--", built("job_probe"), deed, folder_.path()})),
        pids(wait_for_pids(folder_, 2)) {
    EXPECT_EQ(pids.size(), 2u) << "the job did not start";
  }
  Command& command() { return command_; }
  void expect_nothing_left() const {
    for (const int pid : pids)
      EXPECT_TRUE(disappears(pid)) << "process " << pid << " is left";
  }

 private:
  TemporaryFolder folder_;
  Command command_;

 public:
  const std::vector<int> pids;
};

TEST(MpiBackend, runs_the_same_program_and_reports_as_the_others_do) {
  const auto outcome =
      run({"-n", "4", "--backend", "mpi", "--json", "-", "--", "matmul", "--size", "60", "--verify"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["backend"], "mpi");
  EXPECT_EQ(report["ranks"], 4);
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["supersteps"], 3);
  EXPECT_EQ(report["steps"].size(), 3u);
  EXPECT_GT(report["bytes"]["payload"], 0);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("on 4 ranks over mpi"), HasSubstr("verified    yes"),
                                    Not(HasSubstr("lbsp-frame"))));
}

TEST(MpiBackend, gives_the_programs_input_and_output_their_way) {
  CommandSettings settings;
  settings.input = "one\ntwo\n";
  const auto outcome = run({"-n", "2", "--backend", "mpi", "--", built("job_probe"), "input"}, settings);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("rank 0"));
}

TEST(MpiBackend, says_why_a_rank_has_ended_the_job) {
  const auto outcome = run({"-n", "3", "--backend", "mpi", "--", built("job_probe"), "abort", "1", "enough"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("rank 1 on localhost ended the job: enough\n"));
}

TEST(MpiBackend, says_how_a_rank_failed_and_nothing_else) {
  const auto outcome = run({"-n", "3", "--backend", "mpi", "--", "matmul", "--size", "60"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("a square grid cannot be made of 3 ranks: start 1 or 4\n"));
  EXPECT_THAT(outcome.errors, Not(HasSubstr("MPI_ABORT")));
}

TEST(MpiBackend, ends_when_a_rank_is_killed) {
  MpiJob job("pids");
  ::kill(job.pids.back(), SIGKILL);
  const auto outcome = job.command().wait();
  EXPECT_EQ(outcome.code, 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: mpirun "));
  job.expect_nothing_left();
}

TEST(MpiBackend, ends_when_mpirun_is_killed) {
  MpiJob job("pids");
  const int mpirun = child_of(job.command().pid(), "mpirun");
  ASSERT_NE(mpirun, 0);
  ::kill(mpirun, SIGKILL);
  const auto outcome = job.command().wait();
  EXPECT_EQ(outcome.code, 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: mpirun was killed by SIGKILL"));
  job.expect_nothing_left();
}

TEST(MpiBackend, ends_with_the_users_signal) {
  MpiJob job("pids");
  job.command().signal(SIGINT);
  const auto outcome = job.command().wait();
  EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.errors;
  job.expect_nothing_left();
}

TEST(MpiBackend, says_that_a_program_never_joined) {
  const auto outcome = run({"-n", "2", "--backend", "mpi", "--", "/bin/true"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("/bin/true is not an lbsp program"));
}

TEST(MpiBackend, cannot_be_spoilt_by_lbsp_itself) {
  const auto outcome = run({"-n", "2", "--backend", "mpi", "--wan", "loss=1%", "--", "matmul"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("--backend mpi with --wan"));
}

/// Its end, say, which only mpirun has to tell.
TEST(MpiBackend, takes_from_a_rank_no_word_that_only_a_host_may_say) {
  const TemporaryFolder folder;
  const job::FrameLines lines("");
  const std::string line = folder.write("line", lines.to_lines({job::FrameKind::exited, 0, "{}"}));
  const auto outcome = run({"-n", "1", "--backend", "mpi", "--", "/bin/sh", "-c",
                            "printf '%s' \"$LBSP_MPI_MARK\" | cat - " + line + " >&2; sleep 1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("it speaks out of turn: "));
}

/// What a rank that mpirun started tells the launcher when it is to load this library.
std::string failure_with_library(const std::string& path) {
  CommandSettings settings;
  settings.environment = {{job::joining::mark_variable, "mark:"}, {job::joining::library_variable, path}};
  const auto outcome = Command({built("job_probe"), "input"}, settings).wait();
  EXPECT_EQ(outcome.code, 1);
  std::string told;
  job::FrameLineReader reader("mark:");
  EXPECT_EQ(reader.take(outcome.errors,
                        [&](const job::Frame& frame) {
                          EXPECT_EQ(frame.kind, job::FrameKind::failure);
                          told = job::from_payload<job::Failure>(frame.payload).message;
                        }),
            "");
  return told;
}

TEST(MpiBackend, says_why_its_library_cannot_be_loaded) {
  EXPECT_THAT(failure_with_library("/nowhere/lbsp_mpi.so"),
              AllOf(HasSubstr("--backend mpi: /nowhere/lbsp_mpi.so"),
                    HasSubstr("install MPI, and lbsp under the same path, on every host")));
  EXPECT_THAT(failure_with_library("libm.so.6"),
              HasSubstr("libm.so.6 is of another version than the program: build the program again"));
}

TEST(MpiBackend, says_that_there_is_no_mpirun) {
  CommandSettings settings;
  settings.environment = {{"PATH", "/nowhere"}};
  const auto outcome = run({"-n", "2", "--backend", "mpi", "--", "matmul"}, settings);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("no mpirun in PATH: install openmpi-bin"));
}

}  // namespace
}  // namespace lbsp::test
