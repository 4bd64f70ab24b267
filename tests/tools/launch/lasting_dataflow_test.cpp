// Graphs of tasks in jobs whose ranks are killed, and that others join.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;
using namespace std::chrono_literals;

/// A relaxation in twelve pieces on four ranks, whose levels take a while.
class DataflowRun {
 public:
  DataflowRun(const std::string& on_failure, const std::vector<std::string>& options)
      : command_(words(on_failure, options)) {}

  /// Until rank 0 knows that so many levels have ended.
  void await_levels(std::size_t count) const {
    EXPECT_TRUE(wait_until([&] { return levels().size() >= count; }, 30s)) << "the job does not get on";
  }
  /// A line for each level that has ended.
  std::vector<std::string> levels() const {
    std::ifstream file(folder_.path() / "levels.csv");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
      lines.push_back(line);
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
  }
  /// The rank whose process was started first, or last: 0 or 3 as a rule.
  void kill_first() const { ::kill(pids().front(), SIGKILL); }
  void kill_last() const { ::kill(pids().back(), SIGKILL); }
  int number() const { return command_.pid(); }
  /// The report of a job that came to its end, with the right answer.
  nlohmann::json report() {
    const Outcome outcome = command_.wait();
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    auto report = nlohmann::json::parse(folder_.read("report.json"));
    EXPECT_EQ(report["verified"], true);
    return report;
  }

 private:
  std::vector<std::string> words(const std::string& on_failure,
                                 const std::vector<std::string>& options) const {
    std::vector<std::string> words{"-n",
                                   "4",
                                   "--on-failure",
                                   on_failure,
                                   "--peer-timeout",
                                   "1s",
                                   "--json",
                                   folder_.path() / "report.json",
                                   "--",
                                   "sh",
                                   "-c",
                                   R"(touch "$0/$$"; exec "$@")",
                                   pids_.path(),
                                   built("dataflow"),
                                   "jacobi",
                                   "--size",
                                   "48",
                                   "--pieces",
                                   "12",
                                   "--iterations",
                                   "40",
                                   "--pause",
                                   "5ms",
                                   "--timeline",
                                   folder_.path() / "levels.csv",
                                   "--verify"};
    words.insert(words.end(), options.begin(), options.end());
    return lbsp_run(std::move(words));
  }

  std::vector<int> pids() const {
    std::vector<int> all;
    for (const auto& entry : std::filesystem::directory_iterator(pids_.path()))
      all.push_back(std::stoi(entry.path().filename()));
    std::ranges::sort(all);
    return all;
  }

  TemporaryFolder folder_;
  TemporaryFolder pids_;
  Command command_;
};

// Others may hold all that the lost rank had, since pieces move: then nothing runs again, once in thirty jobs. So some
// jobs are looked at.

TEST(LastingDataflow, goes_on_from_the_frontier_without_a_rank_that_was_killed) {
  int again = 0;
  for (int jobs = 0; again == 0 && jobs < 5; ++jobs) {
    DataflowRun job("shrink", {"--replicate", "4"});
    job.await_levels(18);
    job.kill_last();
    const auto report = job.report();
    ASSERT_EQ(report["lost"].size(), 1U);
    const auto& notes = report["notes"]["dataflow"];
    EXPECT_EQ(notes["ranks_lost"], 1);
    EXPECT_EQ(notes["tokens"], 12 * 41);
    // Four levels of what a rank had, three pieces in the mean; were they all run again, it would be over 200.
    again = notes["tokens_again"];
    EXPECT_LT(again, 40);
    EXPECT_THAT(job.levels().back(), MatchesRegex("[0-9.]+,40,12,0,3"));
  }
  EXPECT_GT(again, 0);
}

TEST(LastingDataflow, gives_a_new_process_what_is_to_be_done) {
  int again = 0;
  for (int jobs = 0; again == 0 && jobs < 5; ++jobs) {
    DataflowRun job("respawn", {});
    job.await_levels(10);
    job.kill_first();
    const auto report = job.report();
    const auto& notes = report["notes"]["dataflow"];
    EXPECT_EQ(notes["ranks_lost"], 1);
    EXPECT_EQ(notes["ranks_replaced"], 1);
    again = notes["tokens_again"];
    EXPECT_LT(again, 12 * 11);
  }
  EXPECT_GT(again, 0);
}

TEST(LastingDataflow, gives_tokens_to_a_host_that_joins) {
  DataflowRun job("shrink", {});
  job.await_levels(5);
  const Outcome joined = Command({built("lbsp"), "join", std::to_string(job.number()), "localhost"}).wait();
  EXPECT_EQ(joined.output, "joined as rank 4 of 5, on localhost\n") << joined.errors;
  const auto report = job.report();
  const auto& notes = report["notes"]["dataflow"];
  EXPECT_EQ(notes["ranks_joined"], 1);
  EXPECT_EQ(notes["tokens_again"], 0);
  EXPECT_THAT(job.levels().back(), MatchesRegex("[0-9.]+,40,12,0,5"));
}

}  // namespace
}  // namespace lbsp::test
