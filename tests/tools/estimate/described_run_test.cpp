// lbsp estimate of runs that are described by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/sanitized.hpp"
#include "tests/tools/estimate/estimate_outcome.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;

const json straight{{"kind", "linear"}, {"t0", 0.002}, {"per_byte", 1e-7}};

json ten_arcs() {
  const auto compute = [](int from, int to, double cpu, int rank) {
    return json{{"from", from}, {"to", to}, {"kind", "compute"}, {"cpu", cpu}, {"proc", rank}};
  };
  const auto message = [](int from, int to, double bytes, int src, int dst) {
    return json{{"from", from}, {"to", to}, {"kind", "comm"}, {"bytes", bytes}, {"src", src}, {"dst", dst}};
  };
  return {{"comm_model", straight},
          {"events", 9},
          {"arcs",
           {compute(0, 1, 0.5, 0), message(1, 4, 1e6, 0, 1), compute(1, 2, 0.3, 0), message(2, 6, 5e5, 0, 2),
            compute(2, 3, 0.6, 0), compute(4, 5, 1.0, 1), message(5, 3, 2e5, 1, 0), compute(6, 7, 0.9, 2),
            message(7, 3, 5e5, 2, 0), compute(3, 8, 0.4, 0)}}};
}

TEST(DescribedRun, finds_the_longest_path_of_a_described_graph) {
  json run = ten_arcs();
  const json got = answer(run.dump());
  EXPECT_NEAR(got.at("seconds").get<double>(), 2.204, 1e-12);
  EXPECT_EQ(got.at("path").size(), 6);
  EXPECT_EQ(got.at("path")[3].at("arc"), 7);
  EXPECT_EQ(got.at("version"), 1);
  run["os_share"] = 0.2;
  EXPECT_NEAR(answer(run.dump()).at("seconds").get<double>(), 2.729, 1e-12);
  run["os_share"] = {0, 0.3, 0};
  EXPECT_NEAR(answer(run.dump()).at("seconds").get<double>(), 2.452571428571429, 1e-12);
  run.erase("os_share");
  run["comm_model"] = {{"kind", "lagrange"},
                       {"points", {{0, 0.002}, {2e5, 0.030}, {5e5, 0.060}, {1e6, 0.110}}}};
  EXPECT_NEAR(answer(run.dump(1)).at("seconds").get<double>(), 2.220, 1e-12);
}

TEST(DescribedRun, estimates_described_supersteps) {
  json run = {{"procs", 3},
              {"comm_model", straight},
              {"sync_cost", 0},
              {"steps",
               {{{"cpu", {.30, .20, .25}}, {"bytes", {{0, 400000, 0}, {0, 0, 100000}, {300000, 500000, 0}}}},
                {{"cpu", {.10, .30, .20}}, {"bytes", {{0, 0, 0}, {200000, 0, 800000}, {0, 0, 0}}}},
                {{"cpu", {.20, .10, .15}}, {"bytes", {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}}}}};
  const auto seconds = [&](const char* closing, const char* ports) {
    run["closing"] = closing;
    run["ports"] = ports;
    return answer(run.dump()).at("seconds").get<double>();
  };
  EXPECT_NEAR(seconds("exchange", "parallel"), 0.876, 1e-12);
  EXPECT_NEAR(seconds("exchange", "serial"), 0.946, 1e-12);
  EXPECT_NEAR(seconds("barrier", "parallel"), 0.924, 1e-12);
  EXPECT_NEAR(seconds("barrier", "serial"), 0.944, 1e-12);
}

TEST(DescribedRun, refuses_described_runs_that_cannot_be) {
  json run = ten_arcs();
  run["arcs"][0]["to"] = 9;
  expect_refused(run.dump(), "arcs[0].to");
  run = ten_arcs();
  run["arcs"].push_back({{"from", 8}, {"to", 0}, {"kind", "sync"}});
  expect_refused(run.dump(), "circle");
  run = ten_arcs();
  run["arcs"][0].erase("cpu");
  expect_refused(run.dump(), "arcs[0].cpu is missing: see docs/trace.md");
  run = ten_arcs();
  run["os_share"] = 1;
  expect_refused(run.dump(), "os_share");
  run = ten_arcs();
  run["comm_model"] = {{"kind", "lagrange"}, {"points", {{0, 0.002}, {2e5, 0.030}}}};
  expect_refused(run.dump(), "longest measured");
  expect_refused(R"({"procs": 2, "steps": [{"cpu": [1], "bytes": [[0, 0], [0, 0]]}]})", "steps[0].cpu");
}

TEST(DescribedRun, for_which_there_is_no_memory_is_refused_in_one_line) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  const TemporaryFolder folder;
  std::string lists = "[[]";
  for (int i = 0; i < 1'000'000; ++i)
    lists += ",[]";
  const std::string file = folder.write("wide", lists + "]");
  const Outcome outcome =
      Command({"sh", "-c", "ulimit -v 100000; exec \"$@\"", "sh", built("lbsp"), "estimate", file}).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, testing::StartsWith("lbsp: out of memory: give a smaller file"));
}

TEST(DescribedRun, refuses_numbers_that_no_run_has) {
  json run = ten_arcs();
  run["arcs"][0]["cpu"] = 1e300;
  expect_refused(run.dump(), "arcs[0].cpu");
  run = ten_arcs();
  run["arcs"][1]["bytes"] = 1e300;
  expect_refused(run.dump(), "arcs[1].bytes");
  run = ten_arcs();
  run["comm_model"]["per_byte"] = 1e300;
  expect_refused(run.dump(), "the estimate is ");
}

}  // namespace
}  // namespace lbsp::test
