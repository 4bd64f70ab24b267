// Jobs whose new processes crash again and again.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

/// `deed`: as keeping_probe takes it.
std::vector<std::string> crashing(int steps, int every, const std::string& deed,
                                  const TemporaryFolder& folder) {
  return {"-n",
          "4",
          "--on-failure",
          "respawn",
          "--peer-timeout",
          "1s",
          "--json",
          folder.path() / "report.json",
          "--",
          built("keeping_probe"),
          std::to_string(steps),
          folder.path(),
          std::to_string(every),
          "0",
          deed};
}

/// Of the process that holds the connections to the ranks, while it has any.
std::size_t descriptors_of(int job) {
  const int keeper = child_of(job, "lbsp");
  std::error_code gone;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator at("/proc/" + std::to_string(keeper) + "/fd", gone), end;
       !gone && keeper != 0 && at != end; at.increment(gone))
    ++count;
  return count;
}

/// After each loss the state is kept anew that all go on from, of the same step as before.
TEST(CrashLoop, ends_the_job_that_keeps_the_same_state_again_and_again) {
  for (const auto& [every, deadly] : std::vector<std::pair<int, int>>{{10, 37}, {10, 30}, {1, 37}, {3, 37}}) {
    SCOPED_TRACE(every);
    const TemporaryFolder folder;
    const Outcome outcome = run(crashing(60, every, std::to_string(deadly), folder));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(lines_of(reason_in(outcome)).back(),
                testing::StartsWith("lbsp: rank 1 was lost 5 times in a row, and the job got no further"));
    const auto lost = nlohmann::json::parse(folder.read("report.json"))["lost"];
    // Whether all ranks already have the newest state as the process crashes is chance. Those that go on from the state
    // before it have all the same got further when they have the newest one, which happens once.
    EXPECT_LE(std::ranges::count_if(lost, [](const auto& loss) { return loss["in_a_row"] == 1; }), 2);
    EXPECT_LE(lost.size(), 9U);
    EXPECT_EQ(lost.back()["in_a_row"], 5);
  }
}

TEST(CrashLoop, goes_on_for_as_long_as_the_job_gets_further_and_keeps_nothing_of_ended_processes) {
  const TemporaryFolder folder;
  Command job(lbsp_run(crashing(200, 3, "mortal", folder)));
  std::size_t most = 0;
  std::size_t looks = 0;
  wait_until(
      [&] {
        const std::size_t now = descriptors_of(job.pid());
        looks += now > 0 ? 1 : 0;
        most = std::max(most, now);
        return now == 0 && looks > 0;
      },
      std::chrono::seconds{40});
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(folder.read("report.json"));
  EXPECT_GT(report["lost"].size(), 20U);
  for (const auto& loss : report["lost"])
    EXPECT_EQ(loss["in_a_row"], 1);
  // Of four ranks and one that takes the place of one of them.
  EXPECT_LT(most, 50U) << looks;
}

}  // namespace
}  // namespace lbsp::test
