#include "tools/launch/conclusion.hpp"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch {
namespace {

request::RunOptions options_of_hello() {
  request::RunOptions options;
  options.ranks = 1;
  options.program = "hello";
  return options;
}

/// A job of one rank that has run, and what is said of it.
class EndedJob {
 public:
  /// It has come to its end, and says so of its answer.
  void report(std::optional<bool> verified = std::nullopt) {
    job::RankReport report;
    report.supersteps = 3;
    report.verified = verified;
    job_.report.add(0, report);
  }
  /// Rank 0 has ended before it wanted any ranks.
  void want_nobody() { job_.start_up.want_nobody(); }

  Conclusion conclude() {
    testing::internal::CaptureStderr();
    const Conclusion conclusion = launch::conclude(
        job_, files_,
        {.started = true, .interrupted = interrupted, .output_problem = output_problem, .failures = failures},
        [this](const std::string&) { reported = true; });
    said = testing::internal::GetCapturedStderr();
    return conclusion;
  }

  int interrupted = 0;
  int output_problem = 0;
  ranks::Failures failures;
  bool reported = false;  ///< on the screen
  std::string said;

 private:
  request::RunOptions options_ = options_of_hello();
  uv::Loop loop_;
  course::Job job_{loop_, options_, places::place_ranks(options_), nullptr, {}};
  report::ReportFiles files_{options_};
};

TEST(Conclusion, of_a_job_that_came_to_its_end_is_the_report_alone) {
  EndedJob job;
  job.report();
  EXPECT_EQ(job.conclude().code, 0);
  EXPECT_TRUE(job.reported);
  EXPECT_EQ(job.said, "");
}

TEST(Conclusion, names_the_ranks_that_found_the_answer_wrong) {
  EndedJob job;
  job.report(false);
  const Conclusion conclusion = job.conclude();
  EXPECT_EQ(conclusion.code, 1);
  EXPECT_EQ(conclusion.last_line, "hello found its answer wrong on rank 0 on localhost: see its output");
  EXPECT_EQ(job.said, "lbsp: " + conclusion.last_line + "\n");
  EXPECT_TRUE(job.reported);
}

TEST(Conclusion, says_why_a_job_failed_after_what_it_has_done) {
  EndedJob job;
  job.report();
  job.failures.add(ranks::Failures::Kind::program, "rank 0 on here: it threw");
  const Conclusion conclusion = job.conclude();
  EXPECT_EQ(conclusion.code, 1);
  EXPECT_EQ(conclusion.last_line, "rank 0 on here: it threw");
  EXPECT_TRUE(job.reported);
}

TEST(Conclusion, of_a_job_that_did_nothing_has_no_report) {
  EndedJob job;
  job.failures.add(ranks::Failures::Kind::process, "rank 0 on here crashed");
  EXPECT_EQ(job.conclude().code, 1);
  EXPECT_FALSE(job.reported);
}

TEST(Conclusion, is_the_users_signal_whatever_failed_by_it) {
  EndedJob job;
  job.interrupted = SIGINT;
  job.failures.add(ranks::Failures::Kind::process, "rank 0 on here was killed by SIGINT");
  const Conclusion conclusion = job.conclude();
  EXPECT_EQ(conclusion.code, 128 + SIGINT);
  EXPECT_EQ(conclusion.last_line, "ended by SIGINT, and the job with it");
}

TEST(Conclusion, is_silent_where_the_reader_of_the_output_has_left) {
  EndedJob job;
  job.output_problem = EPIPE;
  const Conclusion conclusion = job.conclude();
  EXPECT_EQ(conclusion.code, 128 + SIGPIPE);
  EXPECT_EQ(conclusion.last_line, "");
  EXPECT_EQ(job.said, "");
  EXPECT_FALSE(job.reported);
}

TEST(Conclusion, tells_of_a_failure_although_the_reader_has_left) {
  EndedJob job;
  job.output_problem = EPIPE;
  job.failures.add(ranks::Failures::Kind::process, "rank 0 on here crashed");
  const Conclusion conclusion = job.conclude();
  EXPECT_EQ(conclusion.code, 1);
  EXPECT_EQ(conclusion.last_line, "rank 0 on here crashed");
}

TEST(Conclusion, of_output_that_could_not_be_written_says_why) {
  EndedJob job;
  job.report();
  job.output_problem = ENOSPC;
  const Conclusion conclusion = job.conclude();
  EXPECT_EQ(conclusion.code, 1);
  EXPECT_NE(conclusion.last_line.find("No space left on device"), std::string::npos) << conclusion.last_line;
}

TEST(Conclusion, of_a_program_that_wants_no_ranks_is_that_there_is_nothing_to_report) {
  EndedJob job;
  job.want_nobody();
  EXPECT_EQ(job.conclude().code, 0);
  EXPECT_EQ(job.said, "lbsp: hello ended before bsp_begin: there is nothing to report\n");
  EXPECT_FALSE(job.reported);
}

}  // namespace
}  // namespace lbsp::launch
