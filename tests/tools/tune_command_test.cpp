// lbsp tune, started as a user starts it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>

#include "gtest/gtest.h"

#include "gmock/gmock.h"
#include "tests/tools/temporary_folder.hpp"

namespace lbsp::tune {
namespace {

using nlohmann::json;
using programs::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Ended {
  int code;
  std::string output;
  std::string errors;
};

Ended tune(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command = LBSP_COMMAND " tune " + arguments + " >" + (folder.path() / "out").string() +
                              " 2>" + (folder.path() / "errors").string();
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("errors")};
}

json answer(const std::string& arguments) {
  const Ended ended = tune(arguments + " --json -");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  return json::parse(ended.output, nullptr, false);
}

void expect_refused(const std::string& arguments, const std::string& said) {
  const Ended ended = tune(arguments);
  EXPECT_EQ(ended.code, 1) << arguments;
  EXPECT_EQ(ended.output, "") << arguments;
  EXPECT_THAT(ended.errors, StartsWith("lbsp: ")) << arguments;
  EXPECT_THAT(ended.errors, HasSubstr(said)) << arguments;
  EXPECT_EQ(ended.errors.find('\n'), ended.errors.size() - 1) << arguments << ": more than one line";
}

const std::string network = "--loss 5% --rtt 50ms --bandwidth 100Mbit ";

/// Hosts h0, h1, …: all alike but h1, on whose paths much is lost, and h2, which computes slowly.
json profile(int hosts) {
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

TEST(TuneCommand, answers_a_program_by_the_contract) {
  const json got = answer(network + "--algorithm matmul --size 20000 --max-nodes 30");
  EXPECT_TRUE(got.at("copies").is_number_integer());
  EXPECT_TRUE(got.at("repair").is_null() || got.at("repair").is_number());
  EXPECT_TRUE(got.at("packet_size").is_number_integer());
  const double side = std::sqrt(got.at("nodes").get<double>());
  EXPECT_EQ(side, std::floor(side));
  EXPECT_LE(got.at("nodes"), 30);
  EXPECT_GT(got.at("nodes"), 1);
  EXPECT_GT(got.at("seconds"), 0);
  EXPECT_DOUBLE_EQ(got.at("speedup"),
                   got.at("sequential_seconds").get<double>() / got.at("seconds").get<double>());
  EXPECT_DOUBLE_EQ(got.at("efficiency"), got.at("speedup").get<double>() / got.at("nodes").get<double>());
  EXPECT_GE(got.at("neighbours").size(), 4U);
  for (const json& neighbour : got.at("neighbours")) {
    EXPECT_GE(neighbour.at("seconds"), got.at("seconds"));
    for (const char* key : {"copies", "packet_size", "nodes", "speedup", "efficiency"})
      EXPECT_TRUE(neighbour.at(key).is_number()) << key;
  }
  EXPECT_TRUE(got.at("hosts").is_null());
}

TEST(TuneCommand, gives_every_algorithm_nodes_that_it_can_run_on) {
  const json sort = answer(network + "--algorithm bitonic_sort --size 1e10 --max-nodes 100 --flops 1e8");
  EXPECT_EQ(std::exp2(std::round(std::log2(sort.at("nodes").get<double>()))), sort.at("nodes"));
  EXPECT_LE(answer(network + "--algorithm fft2d --size 6 --flops 1e-3").at("nodes"), 6);
  EXPECT_LE(answer(network + "--algorithm jacobi --size 5 --flops 1e-3 --sweeps 10").at("nodes"), 3);
  const json own =
      answer(network + "--algorithm own --work 1h --supersteps 10 --message 64KiB --destinations 2");
  EXPECT_GT(own.at("nodes"), 1);
}

TEST(TuneCommand, shows_one_screen_with_the_command_to_run) {
  const Ended ended = tune(network + "--algorithm jacobi --size 30000 --max-nodes 64");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_LE(std::ranges::count(ended.output, '\n'), 24);
  for (const char* part : {"best", "copies", "speedup", "efficiency", "within 1 %", "lbsp run -n "})
    EXPECT_THAT(ended.output, HasSubstr(part));
}

TEST(TuneCommand, needs_more_protection_where_more_is_lost) {
  const std::string rest = " --rtt 50ms --bandwidth 100Mbit --algorithm jacobi --size 30000 --max-nodes 16";
  const json little = answer("--loss 0.01%" + rest);
  const json much = answer("--loss 20%" + rest);
  EXPECT_LT(little.at("copies"), much.at("copies"));
  EXPECT_LT(little.at("seconds"), much.at("seconds"));
}

TEST(TuneCommand, leaves_out_the_hosts_that_hold_the_others_up) {
  const TemporaryFolder folder;
  const std::string file = folder.write("net.json", profile(6).dump());
  const json got = answer("--profile " + file + " --algorithm matmul --size 10000");
  EXPECT_EQ(got.at("nodes"), 4);
  EXPECT_EQ(got.at("hosts"), json({"h0", "h3", "h4", "h5"}));
  const json few = answer("--profile " + file + " --algorithm matmul --size 10000 --max-nodes 1");
  EXPECT_EQ(few.at("nodes"), 1);
  EXPECT_EQ(few.at("hosts").size(), 1U);
}

TEST(TuneCommand, of_a_profile_without_the_rate_asks_for_it) {
  const TemporaryFolder folder;
  const std::string file = "--profile " + folder.write("net.json", profile(3).dump()).string();
  expect_refused(file + " --algorithm jacobi --size 1000", "--flops");
  EXPECT_EQ(tune(file + " --algorithm jacobi --size 1000 --flops 1e9").code, 0);
}

TEST(TuneCommand, refuses_bad_input_in_one_line) {
  const std::string job = " --algorithm matmul --size 100";
  expect_refused("", "--algorithm");
  expect_refused("--algorithm matmul --size 100", "no network");
  expect_refused("--loss 1.2 --rtt 1ms --bandwidth 1Mbit" + job, "--loss 1.2");
  expect_refused("--loss 1 --rtt 1ms --bandwidth 1Mbit" + job, "--loss 1");
  expect_refused("--loss -0.1 --rtt 1ms --bandwidth 1Mbit" + job, "--loss -0.1");
  expect_refused("--loss nan --rtt 1ms --bandwidth 1Mbit" + job, "--loss nan");
  expect_refused("--loss 5% --rtt 1ms" + job, "--bandwidth");
  expect_refused("--loss 5% --rtt -1ms --bandwidth 1Mbit" + job, "-1ms");
  expect_refused("--loss 5% --rtt 1ms --bandwidth 0Mbit" + job, "0Mbit");
  expect_refused(network + "--algorithm matmul --size 0", "--size 0");
  expect_refused(network + "--algorithm matmul", "--size");
  expect_refused(network + "--algorithm quicksort --size 10", "--algorithm quicksort");
  expect_refused(network + job + " --max-nodes 0", "--max-nodes 0");
  expect_refused(network + job + " --flops 0", "--flops 0");
  expect_refused(network + job + " --sweeps 3", "--sweeps");
  expect_refused(network + "--algorithm jacobi --size 2", "3 points");
  expect_refused(network + "--algorithm own --work 1h", "--message");
  expect_refused(network + job + " extra", "extra");
}

TEST(TuneCommand, refuses_profiles_that_are_not_there_of_another_version_or_without_some_pair) {
  const TemporaryFolder folder;
  const std::string job = " --algorithm matmul --size 100";
  expect_refused("--profile " + (folder.path() / "none.json").string() + job, "none.json");
  json other = profile(3);
  other["version"] = 2;
  expect_refused("--profile " + folder.write("v2.json", other.dump()).string() + job, "version is 2");
  json missing = profile(3);
  missing["pairs"].erase(missing["pairs"].size() - 1);
  missing["pairs"].erase(missing["pairs"].size() - 1);
  expect_refused("--profile " + folder.write("few.json", missing.dump()).string() + job, "from host 2");
  const std::string good = folder.write("net.json", profile(3).dump());
  expect_refused("--profile " + good + " --loss 5%" + job, "--loss");
}

TEST(TuneCommand, helps_with_an_example) {
  const Ended ended = tune("--help");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.output, HasSubstr("Example: lbsp tune"));
}

}  // namespace
}  // namespace lbsp::tune
