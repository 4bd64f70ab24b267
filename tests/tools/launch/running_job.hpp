#pragma once

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

/// Starts `lbsp run` with job_probe, whose ranks write their process ids and go on for ever.
class RunningJob {
 public:
  RunningJob(std::vector<std::string> options, const std::string& deed, int ranks)
      : command_(words(std::move(options), deed, pids_folder_, ranks)),
        pids(wait_for_pids(pids_folder_, ranks)) {
    EXPECT_EQ(pids.size(), static_cast<std::size_t>(ranks)) << "the job did not start";
  }

  Command& command() { return command_; }

  void expect_nothing_left() const {
    for (const int pid : pids)
      EXPECT_TRUE(disappears(pid)) << "process " << pid << " is left";
  }

 private:
  static std::vector<std::string> words(std::vector<std::string> options, const std::string& deed,
                                        const TemporaryFolder& folder, int ranks) {
    options.insert(options.begin(), {"-n", std::to_string(ranks)});
    options.insert(options.end(), {"--", built("job_probe"), deed, folder.path()});
    return lbsp_run(std::move(options));
  }

  TemporaryFolder pids_folder_;
  Command command_;

 public:
  const std::vector<int> pids;
};

}  // namespace lbsp::test
