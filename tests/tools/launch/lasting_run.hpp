#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

/// Of all these jobs: `--peer-timeout 2s`.
inline constexpr std::chrono::seconds peer_timeout{2};

/// Steps between two states.
inline constexpr int planned = std::numeric_limits<int>::max();

inline std::vector<std::string> survival_probe(int steps, int every, const TemporaryFolder& pids) {
  std::vector<std::string> words{built(every > 0 ? "keeping_probe" : "survivor_probe"), std::to_string(steps),
                                 pids.path()};
  if (every > 0) words.push_back(every == planned ? "auto" : std::to_string(every));
  return words;
}

/// A job of survivor_probe, or with `every` of keeping_probe, that goes on after it has lost ranks.
class LastingRun {
 public:
  explicit LastingRun(int ranks, std::vector<std::string> options = {}, int steps = 1000, int every = 0,
                      std::string on_failure = "shrink")
      : on_failure_(std::move(on_failure)),
        command_(words(ranks, std::move(options), steps, every)),
        pids(wait_for_pids(pids_folder_, ranks)) {
    EXPECT_EQ(pids.size(), static_cast<std::size_t>(ranks)) << "the job did not start";
  }

  void signal(int rank, int number) const { ::kill(pids[static_cast<std::size_t>(rank)], number); }
  /// Its `lbsp run`.
  int number() const { return command_.pid(); }
  void signal_front(int number) const { command_.signal(number); }
  Outcome wait() { return command_.wait(); }
  nlohmann::json report() const { return nlohmann::json::parse(folder_.read("report.json")); }
  void expect_nothing_left() const {
    for (const int pid : pids)
      EXPECT_TRUE(disappears(pid)) << "process " << pid << " is left";
  }

 private:
  std::vector<std::string> words(int ranks, std::vector<std::string> options, int steps, int every) const {
    options.insert(options.begin(), {"-n", std::to_string(ranks), "--on-failure", on_failure_,
                                     "--peer-timeout", "2s", "--json", folder_.path() / "report.json"});
    options.emplace_back("--");
    std::ranges::move(survival_probe(steps, every, pids_folder_), std::back_inserter(options));
    return lbsp_run(std::move(options));
  }

  std::string on_failure_;
  TemporaryFolder pids_folder_;
  TemporaryFolder folder_;
  Command command_;

 public:
  const std::vector<int> pids;
};

/// Of a job of one rank, which nothing happens to.
inline std::string answer_of(int steps, int every) {
  const TemporaryFolder folder;
  const Outcome alone = run(survival_probe(steps, every, folder));
  return alone.output.substr(0, alone.output.find(','));
}

/// That many survivors say the same, and it is right.
inline void expect_survivors(const Outcome& outcome, const std::string& members, std::size_t count,
                             int steps = 1000, int every = 0) {
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const auto lines = lines_of(outcome.output);
  EXPECT_EQ(lines.size(), count) << outcome.output;
  const std::string expected = answer_of(steps, every) + ", members" + members;
  for (const std::string& line : lines)
    EXPECT_EQ(line, expected);
}

}  // namespace lbsp::test
