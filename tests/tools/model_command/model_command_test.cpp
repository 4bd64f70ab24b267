// lbsp model, started as a user starts it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>

#include "gtest/gtest.h"

#include "gmock/gmock.h"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"

namespace lbsp::programs {
namespace {

using test::TemporaryFolder;

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ended {
  int code;
  std::string output;
  std::string errors;
};

Ended model(const std::string& arguments, const std::string& before = "") {
  const TemporaryFolder folder;
  const std::string command = before + " " LBSP_COMMAND " model " + arguments + " >" +
                              (folder.path() / "out").string() + " 2>" + (folder.path() / "errors").string();
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("errors")};
}

json answer(const std::string& arguments) {
  const Ended ended = model(arguments + " --json -");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  return json::parse(ended.output);
}

void expect_refused(const std::string& arguments, const std::string& said) {
  const Ended ended = model(arguments);
  EXPECT_EQ(ended.code, 1) << arguments;
  EXPECT_EQ(ended.output, "") << arguments;
  EXPECT_THAT(ended.errors, StartsWith("lbsp: ")) << arguments;
  EXPECT_THAT(ended.errors, HasSubstr(said)) << arguments;
  EXPECT_EQ(ended.errors.find('\n'), ended.errors.size() - 1) << arguments << ": more than one line";
}

TEST(ModelCommand, tells_the_rounds_to_a_program) {
  const json got = answer("rho --loss 0.1 --copies 2 --packets 1e6 --scheme rounds");
  EXPECT_EQ(got.at("scheme"), "rounds");
  EXPECT_EQ(got.at("loss"), 0.1);
  EXPECT_EQ(got.at("copies"), 2);
  EXPECT_EQ(got.at("packets"), 1e6);
  const double extra = got.at("rounds_minus_one");
  EXPECT_DOUBLE_EQ(got.at("rounds").get<double>(), 1 + extra);
  EXPECT_DOUBLE_EQ(got.at("log_rounds").get<double>(), std::log1p(extra));
  EXPECT_NEAR(extra, 3.14794674, 1e-7);
}

TEST(ModelCommand, keeps_rounds_minus_one_where_the_rounds_are_one) {
  const json got = answer("rho --loss 1e-9 --copies 3 --packets 1");
  EXPECT_EQ(got.at("rounds"), 1.0);
  EXPECT_NEAR(got.at("rounds_minus_one").get<double>(), 2e-27, 1e-38);
}

TEST(ModelCommand, says_null_and_the_logarithm_where_the_rounds_overflow) {
  const json got = answer("rho --loss 10% --packets 1e6 --scheme whole-round");
  EXPECT_TRUE(got.at("rounds").is_null());
  EXPECT_TRUE(got.at("rounds_minus_one").is_null());
  EXPECT_NEAR(got.at("log_rounds").get<double>(), 210721.0313, 1e-3);
}

TEST(ModelCommand, knows_whole_rounds_by_rank) {
  const json one = answer("rho --loss 10% --packets 20 --scheme whole-round");
  const json rank = answer("rho --loss 10% --packets 20 --scheme whole-round --ranks 1");
  const json ranks = answer("rho --loss 10% --packets 20 --scheme whole-round --ranks 10");
  EXPECT_NEAR(rank.at("rounds").get<double>() / one.at("rounds").get<double>(), 1, 1e-12);
  EXPECT_LT(ranks.at("rounds"), one.at("rounds"));
  expect_refused("rho --loss 10% --packets 20 --ranks 10", "--scheme whole-round");
}

const std::string ten_hours =
    "--packets-per-superstep n2 --loss 0.1 --work 10h --packet-time 80us --delay 70ms";

TEST(ModelCommand, finds_the_best_copies_and_shows_what_is_beside_them) {
  const json got = answer("optimum " + ten_hours + " --nodes 1024");
  EXPECT_EQ(got.at("copies"), 8);
  EXPECT_EQ(got.at("nodes"), 1024);
  EXPECT_DOUBLE_EQ(got.at("efficiency").get<double>(), got.at("speedup").get<double>() / 1024);
  ASSERT_EQ(got.at("neighbours").size(), 4);
  for (const json& choice : got.at("neighbours")) {
    const json tried =
        answer("speedup " + ten_hours + " --nodes 1024 --copies " + choice.at("copies").dump());
    EXPECT_EQ(tried.at("speedup"), choice.at("speedup"));
    EXPECT_LT(choice.at("speedup"), got.at("speedup"));
  }
}

TEST(ModelCommand, finds_the_best_nodes_and_the_best_pair) {
  const json nodes = answer("optimum " + ten_hours + " --copies 3");
  EXPECT_EQ(nodes.at("copies"), 3);
  for (const json& choice : nodes.at("neighbours"))
    EXPECT_LE(choice.at("speedup"), nodes.at("speedup"));
  const json pair = answer("optimum " + ten_hours);
  EXPECT_GT(pair.at("speedup"), nodes.at("speedup"));
}

TEST(ModelCommand, finds_the_conceptual_optimum) {
  const json got = answer("optimum --concept --packets-per-superstep nlog2n --loss 0.14 --copies 3");
  EXPECT_EQ(got.at("nodes"), 29);
  expect_refused("optimum --concept --packets-per-superstep 1 --loss 0.1 --copies 2", "for ever");
}

TEST(ModelCommand, prints_table_two_beside_its_recomputation) {
  const json got = answer("table2");
  ASSERT_EQ(got.size(), 4);
  EXPECT_EQ(got[0].at("algorithm"), "matmul");
  EXPECT_EQ(got[0].at("nodes"), 65536);
  EXPECT_EQ(got[0].at("copies"), 7);
  for (const json& row : got)
    for (const char* value : {"rounds", "communication", "total", "speedup"})
      EXPECT_NEAR(row.at(value).at("computed").get<double>() / row.at(value).at("printed").get<double>(), 1,
                  0.006);
  EXPECT_THAT(model("table2").output, HasSubstr("4740.6"));
}

TEST(ModelCommand, predicts_a_workload_by_name) {
  const json got = answer(
      "speedup --workload matmul --size 32768 --nodes 65536 --flops 5e8 --packet-size 64KiB --bandwidth "
      "17.5MB "
      "--loss 4.5% --copies 7 --delay 69ms");
  EXPECT_NEAR(got.at("speedup").get<double>(), 4740.61, 0.01);
  EXPECT_NEAR(got.at("communication").get<double>(), 27.5397, 1e-4);
  const json gather = answer(
      "speedup --workload ring_allgather --size 1400 --nodes 8 --packet-size 1400 --bandwidth 100Mbit --loss "
      "0 --delay 10ms");
  EXPECT_TRUE(gather.at("speedup").is_null());
  EXPECT_NEAR(gather.at("communication").get<double>(), 14 * (0.01 + 1400 * 8 / 100e6), 1e-12);
}

TEST(ModelCommand, doubts_copies_of_losses_that_come_together) {
  const json got = answer("speedup " + ten_hours + " --nodes 4 --copies 2 --loss-after-loss 60%");
  ASSERT_FALSE(got.at("doubts").empty());
  EXPECT_THAT(got.at("doubts")[0].get<std::string>(), HasSubstr("60 % after a loss"));
}

TEST(ModelCommand, prints_the_figures_as_csv) {
  const std::array<std::size_t, 6> points{102, 85, 60, 160, 24, 24};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Ended ended = model("figure " + std::to_string(7 + i));
    EXPECT_EQ(ended.code, 0);
    EXPECT_THAT(ended.output, StartsWith("figure,p,n,k,work_h,S_c=1,"));
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(ended.output, '\n')), points[i] + 1);
  }
  EXPECT_EQ(answer("figure 9").at("points").size(), 60);
}

TEST(ModelCommand, draws_a_figure_with_gnuplot) {
  if (std::system("command -v gnuplot >/dev/null") != 0) GTEST_SKIP() << "no gnuplot here";
  const TemporaryFolder folder;
  const Ended ended = model("figure 8 --svg \"" + (folder.path() / "it's 8.svg").string() + "\"");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_EQ(ended.output, "");
  const std::string svg = folder.read("it's 8.svg");
  EXPECT_THAT(svg, StartsWith("<?xml"));
  EXPECT_THAT(svg, HasSubstr("p = 0.0005"));
  EXPECT_THAT(svg, EndsWith("</svg>\n\n"));
}

TEST(ModelCommand, names_the_package_that_draws_if_it_is_missing) {
  const TemporaryFolder folder;
  const Ended ended = model("figure 8 --svg " + (folder.path() / "8.svg").string(), "PATH=/nowhere");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.errors, HasSubstr("gnuplot-nox"));
  EXPECT_EQ(folder.files(), 0);
}

TEST(ModelCommand, predicts_a_matrix_product) {
  const json got = answer(
      "pmm --broadcast flat --overlap barrier --nodes 25 --order 20000 --element-rate 8.87e6 --flops 8.64e9 "
      "--schedule 0.015");
  EXPECT_EQ(got.at("version"), 1);
  EXPECT_NEAR(got.at("communicate").get<double>(), 45.095828635851184, 1e-12);
  EXPECT_NEAR(got.at("compute").get<double>(), 74.07407407407408, 1e-12);
  EXPECT_NEAR(got.at("schedule").get<double>(), 1.875, 1e-14);
  EXPECT_NEAR(got.at("total").get<double>(), 121.04490270992526, 1e-12);
  EXPECT_NEAR(1 / got.at("efficiency").get<double>() - 1, got.at("overhead").get<double>(), 1e-12);
  const std::string product = "pmm --element-rate 8.87e6 --flops 8.64e9 ";
  EXPECT_EQ(answer(product + "--nodes 4 --order 8 --schedule 15ms").at("schedule"),
            answer(product + "--nodes 4 --order 8 --schedule 0.015").at("schedule"));
  expect_refused(product + "--nodes 5 --order 100", "give a square");
  expect_refused(product + "--nodes 4 --order 101", "give a multiple");
  expect_refused(product + "--nodes 4", "--order is missing");
  expect_refused(product + "--nodes 4 --order 100 --broadcast tree", "flat, binomial or pipeline");
  expect_refused("pmm --nodes 4 --order 100 --element-rate 0 --flops 1",
                 "--element-rate 0: give more than 0");
}

TEST(ModelCommand, prints_table_three_and_names_its_misprints) {
  const json got = answer("table3");
  ASSERT_EQ(got.size(), 7);
  EXPECT_TRUE(got[0].at("misprint").is_null());
  EXPECT_NEAR(got[1].at("square").at("difference").get<double>(), 5.842e-8 / 6.764e-8 - 1, 1e-4);
  EXPECT_THAT(got[1].at("misprint").get<std::string>(), HasSubstr("87.03e9"));
  EXPECT_THAT(model("table3").output, HasSubstr("IntelMPI Quarry"));
}

TEST(ModelCommand, predicts_a_placement_by_its_queues) {
  const std::string program =
      "queueing --cpu 2400 --net 1.3 --compute-share 85% --message-law power --message 2e6,0.5 --sends 900,4000 "
      "--byte-seconds 8e-9 ";
  const json got = answer(program + "--hosts 8,8 --placement 1,1");
  EXPECT_NEAR(got.at("seconds").get<double>(), 1179.9695133964656, 1e-6);
  EXPECT_NEAR(got.at("response").get<double>(), 0.2551929644867528, 1e-10);
  ASSERT_EQ(got.at("utilisation").size(), 2);
  EXPECT_NEAR(got.at("utilisation")[0].get<double>(), 0.11758778377300373, 1e-10);
  EXPECT_NEAR(answer(program + "--hosts 8,8 --placement 1,1 --reading fixed").at("seconds").get<double>(),
              1702.9292761665515, 1e-6);
  EXPECT_NEAR(
      answer(program + "--hosts 8,8,8,8,12:1.05,12:1.05,16:1.2,16:1.2 --placement 8,8,8,8,12,12,16,16")
          .at("seconds")
          .get<double>(),
      472.7384287979389, 1e-6);
  const json best = answer(program + "--hosts 8,8,8,8");
  EXPECT_LT(best.at("seconds"), answer(program + "--hosts 8,8,8,8 --placement 8,8,8,8").at("seconds"));
  expect_refused(program + "--hosts 8,8 --placement 1", "give each host");
  expect_refused(program + "--hosts 8,8 --placement 0,0", "processes");
  expect_refused(program + "--hosts 8:1:2", "CORES:SPEED");
  expect_refused(program + "--hosts 8,", "--hosts");
  expect_refused(program + "--hosts 8 --placement 5000", "0 to 1024");
  expect_refused(program, "--hosts is missing");
  expect_refused("queueing --hosts 8 --placement 1 --cpu 1 --net 1 --message 1 --sends 1,1", "two numbers");
}

TEST(ModelCommand, writes_json_to_a_file_and_the_text_to_the_user) {
  const TemporaryFolder folder;
  const Ended ended = model("rho --loss 0.1 --packets 10 --json " + (folder.path() / "rho.json").string());
  EXPECT_THAT(ended.output, StartsWith("rounds"));
  EXPECT_EQ(json::parse(folder.read("rho.json")).at("packets"), 10);
  expect_refused("rho --loss 0.1 --packets 10 --json /nowhere/rho.json", "/nowhere/rho.json");
}

TEST(ModelCommand, refuses_bad_input_in_one_line_that_says_what_to_do) {
  expect_refused("", "use rho, speedup");
  expect_refused("nonsense", "nonsense");
  for (const std::string loss : {"1", "-0.1", "nan", "150%", "x", "''", "100%", "1e400"})
    expect_refused("rho --packets 3 --loss " + loss, "--loss");
  for (const std::string copies : {"0", "-1", "1.5", "x", "99999999999"})
    expect_refused("rho --packets 3 --loss 0.1 --copies " + copies, "--copies");
  for (const std::string packets : {"0", "-3", "0.5", "x", "inf"})
    expect_refused("rho --loss 0.1 --packets " + packets, "--packets");
  expect_refused("rho --loss 0.1", "--packets is missing");
  expect_refused("rho --loss 0.1 --packets 3 --scheme best", "whole-round, rounds or receiver");
  expect_refused("rho --loss 0.1 --packets 3 --frob", "--frob");
  expect_refused("optimum " + ten_hours + " --nodes 4 --copies 2", "nothing to find");
  expect_refused("optimum " + ten_hours + " --nodes 0", "--nodes 0");
  expect_refused("optimum --packets-per-superstep n3", "nlog2n");
  expect_refused("optimum --packets-per-superstep n --loss 0.1 --work 0s", "more than 0");
  expect_refused("speedup --workload quicksort --size 4 --nodes 4 --packet-size 1KiB", "bitonic_sort");
  expect_refused("speedup --workload matmul --size 0", "--size 0");
  expect_refused("figure 6", "from 7 to 12");
  expect_refused("figure", "from 7 to 12");
}

TEST(ModelCommand, shows_an_example_in_every_help) {
  for (const std::string subcommand :
       {"", "rho ", "speedup ", "optimum ", "table2 ", "figure ", "pmm ", "table3 ", "queueing "}) {
    const Ended ended = model(subcommand + "--help");
    EXPECT_EQ(ended.code, 0);
    EXPECT_THAT(ended.output, HasSubstr("Example: lbsp model " + subcommand)) << subcommand;
  }
}

TEST(ModelCommand, answers_in_json_with_a_version) {
  EXPECT_EQ(answer("rho --loss 0.1 --copies 2 --packets 10").at("version"), 1);
  EXPECT_TRUE(answer("table2").is_array());
}

TEST(ModelCommand, answers_in_little_memory) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  const Ended ended = model("rho --loss 0.1 --copies 2 --packets 10", "ulimit -v 80000; timeout 20");
  EXPECT_EQ(ended.code, 0) << ended.errors;
}

}  // namespace
}  // namespace lbsp::programs
