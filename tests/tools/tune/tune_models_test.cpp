// lbsp tune by the other models.
#include "model/critical_path/supersteps.hpp"
#include "model/pmm/prediction.hpp"
#include "tests/tools/tune/tune_command.hpp"

namespace lbsp::tune {
namespace {

namespace critical_path = model::critical_path;
namespace pmm = model::pmm;

const std::vector<std::string> others{"pmm", "queueing", "critical-path"};

TEST(TuneByModel, answers_by_the_contract_with_null_for_what_the_model_does_not_know) {
  for (const std::string& name : others) {
    const json got =
        answer(network + "--algorithm fox --size 2520 --flops 1e9 --max-nodes 25 --model " + name);
    EXPECT_EQ(got.at("model"), name);
    for (const char* key : {"copies", "repair", "packet_size", "hosts", "halo"})
      EXPECT_TRUE(got.at(key).is_null()) << key;
    EXPECT_GT(got.at("nodes"), 1);
    EXPECT_DOUBLE_EQ(got.at("speedup"),
                     got.at("sequential_seconds").get<double>() / got.at("seconds").get<double>());
    EXPECT_FALSE(got.at("neighbours").empty());
    for (const json& neighbour : got.at("neighbours")) {
      EXPECT_EQ(neighbour.at("change"), "nodes");
      EXPECT_GE(neighbour.at("seconds"), got.at("seconds"));
    }
  }
  EXPECT_EQ(answer(network + "--algorithm fox --size 2520 --max-nodes 25").at("model"), "lbsp");
}

TEST(TuneByModel, has_an_interval_that_reaches_from_its_own_seconds_to_those_of_lossy_bsp) {
  for (const char* const loss : {"0", "10%"}) {
    const std::string asked = fmt::format(
        "--loss {} --rtt 50ms --bandwidth 100Mbit --algorithm fox --size 2520 --flops 1e9 --nodes 9 --model ",
        loss);
    const json lossy = answer(asked + "lbsp");
    for (const std::string& name : others) {
      const json got = answer(asked + name);
      const double from = got.at("interval").at(0);
      const double to = got.at("interval").at(1);
      const double seconds = got.at("seconds");
      EXPECT_NEAR(from, std::min(seconds, lossy.at("interval").at(0).get<double>()), 0.01 * seconds)
          << name << loss;
      EXPECT_NEAR(to, std::max(seconds, lossy.at("interval").at(1).get<double>()), 0.01 * seconds)
          << name << loss;
      for (const json& neighbour : got.at("neighbours"))
        EXPECT_LE(neighbour.at("interval").at(0), neighbour.at("seconds")) << name;
    }
  }
  // One node sends nothing.
  const json alone = answer(network + "--algorithm fox --size 1200 --nodes 1 --flops 1e10 --model pmm");
  EXPECT_EQ(alone.at("interval"), json({alone.at("seconds"), alone.at("seconds")}));
}

TEST(TuneByModel, is_the_formula_of_foxs_product) {
  const json got = answer(network + "--algorithm fox --size 1200 --nodes 16 --flops 1e10 --model pmm");
  const pmm::Prediction expected =
      predict(pmm::Broadcast::flat, pmm::Overlap::barrier, 16, 1200, {100e6 / 8 / 8, 1e10, 0, 0.025});
  EXPECT_NEAR(got.at("seconds").get<double>() / expected.total, 1, 1e-12);
  // 7 does not divide the order: a mesh of that side is left out.
  expect_refused(network + "--algorithm fox --size 1200 --nodes 49 --model pmm", "multiple");
  expect_refused(network + "--algorithm fft2d --size 1200 --model pmm", "fox");
}

TEST(TuneByModel, is_the_longest_path_through_supersteps_that_are_alike) {
  const json got = answer(
      network + "--algorithm own --work 6s --supersteps 3 --message 1MB --nodes 4 --model critical-path");
  critical_path::Rules rules{.cost = critical_path::MessageCost::linear(0.025, 8 / 100e6),
                             .ports = critical_path::Ports::serial};
  critical_path::Superstep superstep{.cpu = std::vector<double>(4, 0.5), .messages = {}};
  for (std::size_t from = 0; from < 4; ++from)
    for (std::size_t to = 0; to < 4; ++to)
      if (from != to) superstep.messages.push_back({from, to, 1e6});
  std::vector<critical_path::Superstep> run(3, superstep);
  run.push_back({.cpu = std::vector<double>(4, 0), .messages = {}});  // the one that ends the job
  EXPECT_NEAR(got.at("seconds"), critical_path::estimate(run, rules).seconds, 1e-9);
}

TEST(TuneByModel, agrees_with_lossy_bsp_where_little_is_sent_and_nothing_lost) {
  const std::string quiet =
      "--loss 0 --rtt 1ms --bandwidth 1Gbit --algorithm own --work 100s --supersteps 10 "
      "--message 1KiB --nodes 8 --model ";
  const double lossy = answer(quiet + "lbsp").at("seconds");
  EXPECT_NEAR(answer(quiet + "critical-path").at("seconds").get<double>() / lossy, 1, 0.01);
  EXPECT_NEAR(answer(quiet + "queueing").at("seconds").get<double>() / lossy, 1, 0.01);
}

TEST(TuneByModel, takes_hosts_of_a_profile_and_a_halo) {
  const TemporaryFolder folder;
  folder.write("net.json", profile(4).dump());
  for (const std::string name : {"queueing", "critical-path"}) {
    const json got = answer("--profile " + (folder.path() / "net.json").string() +
                            " --algorithm jacobi --size 2000 --flops 1e6 --model " + name);
    EXPECT_EQ(got.at("hosts").size(), got.at("nodes"));
    EXPECT_GE(got.at("halo"), 1);
  }
}

TEST(TuneByModel, refuses_another_name) {
  expect_refused(network + "--algorithm fft2d --size 64 --model wish",
                 "use lbsp, pmm, queueing or critical-path");
}

TEST(TuneByModel, refuses_more_nodes_than_queues_are_solved_for) {
  const std::string many = network + "--algorithm fft2d --size 4096 --model queueing --nodes ";
  expect_refused(many + "1000000",
                 "--nodes 1000000 with --model queueing would take hours: give 512 or fewer");
  EXPECT_EQ(answer(many + "512").at("nodes"), 512);
}

TEST(TuneByModel, shows_the_command_to_run) {
  const Ended ended = tune(network + "--algorithm fox --size 1200 --flops 1e9 --max-nodes 9 --model pmm");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  for (const char* part : {"best", "by the model pmm", "nine of ten runs take ", "lbsp run -n ",
                           "-- matmul --algorithm fox --size 1200"})
    EXPECT_THAT(ended.output, HasSubstr(part));
}

}  // namespace
}  // namespace lbsp::tune
