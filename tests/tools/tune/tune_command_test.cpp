#include "tests/tools/tune/tune_command.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace lbsp::tune {
namespace {

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
    EXPECT_GE(neighbour.at("seconds"), 0.99 * got.at("seconds").get<double>());
    for (const char* key : {"copies", "packet_size", "nodes", "speedup", "efficiency"})
      EXPECT_TRUE(neighbour.at(key).is_number()) << key;
  }
  EXPECT_TRUE(got.at("hosts").is_null());
}

TEST(TuneCommand, says_what_nine_of_ten_runs_take) {
  const std::string program = "--algorithm own --work 1h --supersteps 100 --message 64KiB --nodes 8 ";
  const auto half_width = [&](const std::string& on) {
    const json got = answer(on + program);
    const double seconds = got.at("seconds");
    EXPECT_LT(got.at("interval")[0], seconds);
    EXPECT_GT(got.at("interval")[1], seconds);
    for (const json& neighbour : got.at("neighbours"))
      EXPECT_LT(neighbour.at("interval")[0], neighbour.at("seconds"));
    return got.at("interval")[1].get<double>() - seconds;
  };
  const std::string without_loss = "--loss 0 --rtt 70ms --bandwidth 100Mbit ";
  EXPECT_GT(half_width(network), half_width(without_loss));
  EXPECT_THAT(tune(network + program).output, HasSubstr("\nnine of ten runs take "));
  EXPECT_THAT(tune(network + program).output, HasSubstr("\nnot in these times: starting and ending the job"));
  EXPECT_THAT(tune(network + "--algorithm fft2d --size 512 --nodes 1").output,
              testing::Not(HasSubstr("nine of ten")));
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

TEST(TuneCommand, finds_the_halo_that_saves_jacobi_most) {
  const std::string grid = "--algorithm jacobi --size 2000 --sweeps 2000 --nodes 8 ";
  const json best = answer(network + grid);
  const double halo = best.at("halo");
  EXPECT_GT(halo, 8);
  EXPECT_LT(best.at("seconds"), 0.2 * answer(network + grid + "--halo 1").at("seconds").get<double>());
  for (const double other : {halo / 2, 2 * halo}) {
    const json beside = answer(network + grid + fmt::format("--halo {}", std::round(other)));
    EXPECT_EQ(beside.at("halo"), std::round(other));
    EXPECT_LE(best.at("seconds"), 1.005 * beside.at("seconds").get<double>()) << other;
  }
  EXPECT_THAT(tune(network + grid).output, HasSubstr(fmt::format("--halo {}\n", halo)));
  EXPECT_TRUE(answer(network + "--algorithm fft2d --size 512 --nodes 4").at("halo").is_null());
}

TEST(TuneCommand, keeps_to_the_nodes_that_it_is_given) {
  for (const int nodes : {1, 4, 9}) {
    const json got = answer(network + fmt::format("--algorithm matmul --size 3000 --nodes {}", nodes));
    EXPECT_EQ(got.at("nodes"), nodes);
    for (const json& neighbour : got.at("neighbours"))
      EXPECT_EQ(neighbour.at("nodes"), nodes);
  }
  expect_refused(network + "--algorithm matmul --size 3000 --nodes 6", "give 4 or 9\n");
  expect_refused(network + "--algorithm fft2d --size 8 --nodes 9", "give 8\n");
  expect_refused(network + "--algorithm bitonic_sort --size 1e6 --nodes 3", "give 2 or 4\n");
  expect_refused(network + "--algorithm fft2d --size 64 --nodes 4 --max-nodes 9", "--max-nodes");
  expect_refused(network + "--algorithm fft2d --size 64 --halo 4", "--halo");
  expect_refused(network + "--algorithm jacobi --size 64 --halo 0", "--halo");
}

TEST(TuneCommand, shows_one_screen_with_the_command_to_run) {
  const Ended ended = tune(network + "--algorithm jacobi --size 30000 --max-nodes 64");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_LE(std::ranges::count(ended.output, '\n'), 24);
  for (const char* part : {"best", "copies", "speedup", "efficiency", "within 1 %", "lbsp run -n "})
    EXPECT_THAT(ended.output, HasSubstr(part));
}

TEST(TuneCommand, needs_more_protection_where_more_is_lost) {
  const std::string rest =
      " --rtt 50ms --bandwidth 100Mbit --algorithm jacobi --halo 1 --size 30000 --max-nodes 16";
  const json little = answer("--loss 0.01%" + rest);
  const json much = answer("--loss 20%" + rest);
  EXPECT_LT(little.at("copies"), much.at("copies"));
  EXPECT_LT(little.at("seconds"), much.at("seconds"));
}

/// All packet sizes that an answer speaks of.
int largest_size(const json& answer) {
  int largest = answer.at("packet_size");
  for (const json& neighbour : answer.at("neighbours"))
    largest = std::max(largest, neighbour.at("packet_size").get<int>());
  return largest;
}

TEST(TuneCommand, advises_no_datagram_that_an_unknown_path_may_not_take) {
  const std::string rest = " --algorithm own --work 1h --message 100MB --max-nodes 16";
  EXPECT_LE(largest_size(answer("--loss 0 --rtt 1ms --bandwidth 10Gbit" + rest)), 1472);
  EXPECT_LE(largest_size(answer("--loss 0.01% --rtt 70ms --bandwidth 100Mbit" + rest)), 1472);
}

json with_sizes(json profile, const std::vector<int>& sizes, const std::vector<int>& largest) {
  json pairs = json::array();
  std::size_t path = 0;
  for (json pair : profile.at("pairs")) {
    if (pair["packet_size"] != 512) continue;
    for (const int size : sizes) {
      pair["packet_size"] = size;
      if (!largest.empty()) pair["largest_datagram"] = largest[path % largest.size()];
      pairs.push_back(pair);
    }
    ++path;
  }
  profile["pairs"] = pairs;
  return profile;
}

TEST(TuneCommand, advises_no_datagram_above_the_smallest_that_its_paths_take_whole) {
  const TemporaryFolder folder;
  const auto asked = [&](const std::vector<int>& sizes, const std::vector<int>& largest) {
    const std::string file = folder.write("net.json", with_sizes(profile(3), sizes, largest).dump());
    return answer("--profile " + file + " --algorithm own --work 100h --message 100MB");
  };
  const json tunnel = asked({64, 512, 1400, 8192}, {1472, 1392, 8972});
  EXPECT_EQ(largest_size(tunnel), 1392);
  EXPECT_EQ(tunnel.at("packet_size"), 1392);
  EXPECT_EQ(asked({512, 8192, 64000}, {8972, 9000}).at("packet_size"), 8192);
  EXPECT_LE(largest_size(asked({512, 1400, 8192}, {})), 1472);
  EXPECT_EQ(asked({1400, 8192}, {1232}).at("packet_size"), 1232);
}

/// Runs the command of an advice over hosts that are all this one. Each agent leaves a file of its host's name.
int run_advised(const TemporaryFolder& folder, const std::string& advice, const std::string& more) {
  const std::string path = folder.path();
  std::string hosts;
  for (int host = 0; host < 6; ++host)
    hosts += fmt::format("h{} slots=2 address=127.0.0.1\n", host);
  const std::string agent =
      folder.write("agent.sh", "echo 1 >>" + path + "/agent-$1\nshift\nexec \"$@\"\n").string();
  const auto place = advice.find("run it:  lbsp run ") + 18;
  std::string command = advice.substr(place, advice.find('\n', place) - place);
  command.replace(command.find(" HOSTS "), 7,
                  fmt::format(" {} --launch-agent 'sh {}' ", folder.write("hosts", hosts).string(), agent));
  command = fmt::format("{} run {} {} >{}/ran 2>&1", LBSP_COMMAND, command, more, path);
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(TuneCommand, prints_a_command_that_runs) {
  const TemporaryFolder folder;
  const std::string file = folder.write("net.json", profile(4).dump());
  const Ended ended = tune("--profile " + file + " --algorithm fft2d --size 64 --flops 1e3");
  EXPECT_THAT(ended.output, HasSubstr("lbsp run -n "));
  EXPECT_THAT(ended.output, HasSubstr(" --profile " + file + " -- fft2d --size 64\n"));
  EXPECT_EQ(run_advised(folder, ended.output, "--verify"), 0) << folder.read("ran");
}

TEST(TuneCommand, prints_a_command_that_runs_where_the_profile_has_a_blank_in_its_name) {
  const TemporaryFolder folder;
  const std::string file = folder.write("my net.json", profile(4).dump());
  for (const char* model : {"lbsp", "pmm"}) {
    const Ended ended =
        tune("--profile '" + file + "' --algorithm matmul --size 64 --flops 1e3 --model " + model);
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr(" --profile '" + file + "' -- matmul "));
    EXPECT_EQ(run_advised(folder, ended.output, "--verify"), 0) << folder.read("ran");
  }
}

TEST(TuneCommand, prints_a_command_that_takes_the_hosts_that_it_advises) {
  const TemporaryFolder folder;
  const std::string file = folder.write("net.json", profile(6).dump());
  const Ended ended = tune("--profile " + file + " --algorithm matmul --size 64 --flops 1e3");
  EXPECT_THAT(ended.output, HasSubstr("hosts: h0 h2 h3 h4\n"));
  EXPECT_THAT(ended.output, HasSubstr("run it:  lbsp run -n 4 --hosts HOSTS --only h0,h2,h3,h4 "));
  EXPECT_EQ(run_advised(folder, ended.output, "--verify"), 0) << folder.read("ran");
  for (const char* host : {"h0", "h2", "h3", "h4"})
    EXPECT_EQ(folder.read(fmt::format("agent-{}", host)), "1\n");
  for (const char* host : {"h1", "h5"})
    EXPECT_EQ(folder.read(fmt::format("agent-{}", host)), "");

  const Ended one = tune("--profile " + file + " --algorithm matmul --size 64");
  EXPECT_THAT(one.output, HasSubstr("run it:  lbsp run -n 1 --hosts HOSTS --only h0 -- matmul --size 64\n"));
  EXPECT_EQ(run_advised(folder, one.output, "--verify"), 0) << folder.read("ran");
}

TEST(TuneCommand, warns_where_it_advises_more_nodes_than_a_job_can_have) {
  const std::string job = network + "--algorithm matmul --size 1000000 --max-nodes ";
  EXPECT_THAT(tune(job + "10000000").output, HasSubstr("warning: a job has 65535 ranks at most: "));
  EXPECT_THAT(tune(job + "65535").output, Not(HasSubstr("warning: ")));
}

TEST(TuneCommand, warns_where_the_program_does_not_take_the_size) {
  for (const std::string name : {"matmul", "fox", "fft2d", "jacobi"}) {
    const std::string job = network + "--algorithm " + name + " --size ";
    EXPECT_THAT(tune(job + "1000001").output,
                HasSubstr(" takes a --size of 1000000 at most: lbsp run refuses"));
    EXPECT_THAT(tune(job + "1000000").output, Not(HasSubstr("warning: "))) << name;
  }
  EXPECT_THAT(tune(network + "--algorithm matmul --size 1000001 --model critical-path").output,
              HasSubstr("warning: matmul takes a --size of 1000000 at most"));
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
  expect_refused("--loss 99.99% --rtt 5ms --bandwidth 10Mbit" + job, "lbsp predicts up to 90 %");
  expect_refused(network + "--algorithm matmul --size 99999999999999999999", "9007199254740992 or less");
  expect_refused(network + "--algorithm matmul --size 0", "--size 0");
  expect_refused(network + "--algorithm matmul", "--size");
  expect_refused(network + "--algorithm quicksort --size 10", "--algorithm quicksort");
  expect_refused(network + job + " --max-nodes 0", "--max-nodes 0");
  expect_refused(network + job + " --flops 0", "--flops 0");
  expect_refused(network + job + " --flops 1e-300", "give a number of 0.001 or more");
  expect_refused(network + job + " --flops 1e300", "--flops 1e300: give 1e+21 or less");
  expect_refused(network + job + " --sweeps 3", "--sweeps");
  expect_refused(network + "--algorithm jacobi --size 2", "3 points");
  expect_refused(network + "--algorithm own --work 1h", "--message");
  const std::string own = network + "--algorithm own --work 1h --message 1000 --destinations 9 ";
  expect_refused(own + "--nodes 4", "--destinations 9: each of 4 nodes has 3 others: ");
  expect_refused(own + "--nodes 9", "--destinations 9: each of 9 nodes has 8 others: ");
  expect_refused(own + "--max-nodes 4", "--destinations 9: each of 4 nodes has 3 others: ");
  EXPECT_EQ(tune(own + "--nodes 10").code, 0);
  expect_refused(network + job + " extra", "extra");
}

TEST(TuneCommand, refuses_profiles_that_are_not_there_of_another_version_or_without_any_pair) {
  const TemporaryFolder folder;
  const std::string job = " --algorithm matmul --size 100";
  expect_refused("--profile " + (folder.path() / "none.json").string() + job, "none.json");
  json other = profile(3);
  other["version"] = 2;
  expect_refused("--profile " + folder.write("v2.json", other.dump()).string() + job, "version is 2");
  json nothing = profile(3);
  nothing["pairs"] = json::array();
  expect_refused("--profile " + folder.write("none.json", nothing.dump()).string() + job, "no pair");
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
