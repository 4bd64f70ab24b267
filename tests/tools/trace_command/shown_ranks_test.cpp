// What converted traces and the page show of single ranks: one that was lost, and the network's thread of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/command.hpp"
#include "tests/tools/trace_command/slow_trace.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// It tells nothing, and the supersteps that the others tell are seen all the same: whatever rank it is.
TEST(TraceCommand, shows_what_the_others_did_where_a_rank_was_lost) {
  for (const int lost : {0, 1}) {
    const TemporaryFolder folder;
    const Outcome converted = convert({folder.write("trace", slow_trace_without(lost)), "--to", "perfetto",
                                       "-o", folder.path() / "out.json"});
    ASSERT_EQ(converted.code, 0) << converted.errors;
    const json viewed = json::parse(folder.read("out.json"));
    std::size_t computed = 0;
    for (const json& event : viewed.at("traceEvents")) {
      if (event.at("ph") != "X") continue;
      EXPECT_NE(event.at("tid"), lost);
      computed += event.at("name") == "computing" ? 1U : 0U;
    }
    EXPECT_EQ(computed, 1U) << "the superstep of the one that rank " << lost << " is not";
  }
}

TEST(TraceCommand, tells_the_processor_time_of_each_rank_s_network_thread) {
  const TemporaryFolder folder;
  const std::string trace = folder.path() / "trace";
  ASSERT_EQ(run({"-n", "2", "--backend", "udp", "--trace", trace, "--", "fft2d", "--size", "512"}).code, 0);
  std::istringstream lines(folder.read("trace"));
  int told = 0;
  double in_supersteps[] = {0, 0};
  for (std::string text; std::getline(lines, text);) {
    const json line = json::parse(text);
    double& sum = in_supersteps[line.at("rank").get<std::size_t>()];
    if (!line["superstep"].is_null()) {
      sum += line.at("network_cpu").get<double>();
      continue;
    }
    EXPECT_GT(line.at("network_cpu"), 0) << text;
    EXPECT_LT(line.at("network_cpu"), 60) << text;
    EXPECT_GT(sum, 0) << text;
    EXPECT_LE(sum, line.at("network_cpu").get<double>() + 1e-6) << text;
    ++told;
  }
  EXPECT_EQ(told, 2);
  EXPECT_THAT(page_of(trace), HasSubstr("<th>network thread</th>"));
  ASSERT_EQ(convert({trace, "--to", "perfetto", "-o", folder.path() / "out.json"}).code, 0);
  const json viewed = json::parse(folder.read("out.json"));
  EXPECT_GT(viewed.at("otherData").at("processor seconds of each rank's network thread").at(1), 0);
  double counted = 0;
  for (const json& event : viewed.at("traceEvents"))
    if (event.at("name") == "network thread of rank 1")
      counted += event.at("args").at("ms of a processor").get<double>();
  EXPECT_NEAR(counted, 1e3 * in_supersteps[1], 1e-6);
}

}  // namespace
}  // namespace lbsp::test
