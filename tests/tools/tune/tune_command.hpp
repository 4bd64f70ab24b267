// lbsp tune, started as a user starts it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>

#include "gtest/gtest.h"

#include "gmock/gmock.h"
#include "tests/support/temporary_folder.hpp"

namespace lbsp::tune {

using nlohmann::json;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Ended {
  int code;
  std::string output;
  std::string errors;
};

inline Ended tune(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command = LBSP_COMMAND " tune " + arguments + " >" + (folder.path() / "out").string() +
                              " 2>" + (folder.path() / "errors").string();
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("errors")};
}

inline json answer(const std::string& arguments) {
  const Ended ended = tune(arguments + " --json -");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  return json::parse(ended.output, nullptr, false);
}

inline void expect_refused(const std::string& arguments, const std::string& said) {
  const Ended ended = tune(arguments);
  EXPECT_EQ(ended.code, 1) << arguments;
  EXPECT_EQ(ended.output, "") << arguments;
  EXPECT_THAT(ended.errors, StartsWith("lbsp: ")) << arguments;
  EXPECT_THAT(ended.errors, HasSubstr(said)) << arguments;
  EXPECT_EQ(ended.errors.find('\n'), ended.errors.size() - 1) << arguments << ": more than one line";
}

inline const std::string network = "--loss 5% --rtt 50ms --bandwidth 100Mbit ";

/// Hosts h0, h1, …: all alike but h1, on whose paths much is lost, and h2, which computes slowly.
inline json profile(int hosts) {
  json out = {{"version", 1}, {"hosts", json::array()}, {"pairs", json::array()}};
  for (int from = 0; from < hosts; ++from) {
    out["hosts"].push_back({{"name", fmt::format("h{}", from)},
                            {"compute", {{"dgemm_flops", from == 2 ? 1e9 : 1e10}, {"sort_keys", 1e7}}}});
    for (int to = 0; to < hosts; ++to) {
      if (from == to) continue;
      for (const int size : {512, 1400}) {
        const double loss = from == 1 || to == 1 ? 0.4 : 0.02;
        out["pairs"].push_back({{"from", from},
                                {"to", to},
                                {"packet_size", size},
                                {"loss", loss},
                                {"loss_interval", {0.9 * loss, 1.1 * loss}},
                                {"second_copy_loss", json::array()},
                                {"burst", 1},
                                {"rtt", {{"min", 0.05}, {"median", 0.05}, {"p99", 0.06}}},
                                {"bandwidth", 12.5e6}});
      }
    }
  }
  return out;
}

}  // namespace lbsp::tune
