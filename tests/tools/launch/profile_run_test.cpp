// lbsp run with a profile, and with -n auto.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/launch/agent_script.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Slow hosts on a good network, but for host 1, on whose paths half is lost: matmul pays on the other four.
std::string profile(const std::vector<std::string>& names) {
  json out = {{"version", 1}, {"hosts", json::array()}, {"pairs", json::array()}};
  for (std::size_t from = 0; from < names.size(); ++from) {
    out["hosts"].push_back({{"name", names[from]}, {"compute", {{"dgemm_flops", 1e5}}}});
    for (std::size_t to = 0; to < names.size(); ++to) {
      if (from == to) continue;
      const double loss = from == 1 || to == 1 ? 0.5 : 0.01;
      out["pairs"].push_back({{"from", from},
                              {"to", to},
                              {"packet_size", 1400},
                              {"loss", loss},
                              {"loss_interval", {loss, loss}},
                              {"second_copy_loss", json::array()},
                              {"burst", 1},
                              {"rtt", {{"min", 0.001}, {"median", 0.001}, {"p99", 0.002}}},
                              {"bandwidth", 7.5e6}});
    }
  }
  return out.dump();
}

const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
constexpr const char* hosts =
    "a address=127.0.0.1\nb address=127.0.0.1\nc address=127.0.0.1\nd address=127.0.0.1\ne slots=4 "
    "address=127.0.0.1\n";

std::string hosts_of(const json& report) {
  std::string hosts_by_rank;
  for (const auto& rank : report["per_rank"])
    hosts_by_rank += rank["host"].get<std::string>();
  return hosts_by_rank;
}

class ProfileRun : public testing::Test {
 protected:
  json report_over_hosts(std::vector<std::string> options) {
    options.insert(options.begin(), {"--json", "-"});
    options.insert(options.end(), {"--", "matmul", "--size", "64"});
    const auto outcome = run(over_hosts(folder_, hosts, script_, options));
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return json::parse(outcome.output, nullptr, false);
  }

  TemporaryFolder folder_;
  std::string script_ = agent_script(folder_, "exec \"$@\"");
  std::string profile_ = folder_.write("net.json", profile(names));
};

TEST_F(ProfileRun, takes_the_nodes_and_hosts_that_tune_advises) {
  const json report = report_over_hosts({"-n", "auto", "--profile", profile_});
  EXPECT_EQ(report["ranks"], 4);
  EXPECT_EQ(hosts_of(report), "acde");
  EXPECT_EQ(report["verified"], true);
}

TEST_F(ProfileRun, chooses_from_the_hosts_that_it_is_told) {
  const json report = report_over_hosts({"-n", "auto", "--profile", profile_, "--only", "e,d,b"});
  EXPECT_EQ(report["ranks"], 1);
  EXPECT_EQ(hosts_of(report_over_hosts({"-n", "4", "--profile", profile_, "--only", "e,d"})), "deee");
}

TEST_F(ProfileRun, sends_at_the_profile_s_bandwidth_shared_by_the_ranks_of_a_host) {
  const json report = report_over_hosts({"-n", "4", "--profile", profile_});
  EXPECT_EQ(hosts_of(report), "abcd");
  EXPECT_EQ(report["options"]["rate"], 7.5e6);
  EXPECT_EQ(report_over_hosts({"-n", "4", "--profile", profile_, "--rate", "1MB"})["options"]["rate"], 1e6);
}

TEST_F(ProfileRun, sends_no_datagrams_larger_than_the_paths_take) {
  json limited = json::parse(profile(names));
  for (json& pair : limited["pairs"])
    pair["largest_datagram"] = 1200;
  const std::string file = folder_.write("limited.json", limited.dump());
  const json report = report_over_hosts({"-n", "4", "--profile", file, "--datagram", "1400"});
  EXPECT_EQ(report["options"]["datagram"], 1200);
  EXPECT_EQ(report_over_hosts({"-n", "4", "--profile", file, "--datagram", "600"})["options"]["datagram"],
            600);
}

TEST_F(ProfileRun, does_without_a_pair_that_was_not_measured) {
  json lacking = json::parse(profile(names));
  lacking["pairs"].erase(0);
  const std::string file = folder_.write("lacking.json", lacking.dump());
  EXPECT_EQ(report_over_hosts({"-n", "4", "--profile", file})["verified"], true);
  EXPECT_GT(report_over_hosts({"-n", "auto", "--profile", file})["ranks"], 1);
}

TEST_F(ProfileRun, rehearses_on_this_machine) {
  const auto outcome = run(
      {"-n", "auto", "--profile", profile_, "--json", "-", "--", "matmul", "--size", "64", "--no-verify"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(json::parse(outcome.output)["ranks"], 4);
}

TEST_F(ProfileRun, is_refused_for_hosts_that_are_only_partly_known) {
  const std::string other = folder_.write("other.json", profile({"a", "b", "c", "d", "x"}));
  const auto outcome =
      run(over_hosts(folder_, hosts, script_, {"--profile", other, "--", "matmul", "--size", "64"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("the profile has no host e"));
}

TEST(AutomaticNodes, are_one_where_the_network_is_too_slow_for_more) {
  const auto outcome = run(
      {"-n", "auto", "--wan", "loss=10%,rtt=70ms,rate=1Mbit", "--json", "-", "--", "matmul", "--size", "64"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(json::parse(outcome.output)["ranks"], 1);
}

TEST(AutomaticNodes, need_a_network_and_a_program_that_is_known) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"-n", "auto", "--", "matmul", "--size", "64"},
       "-n auto: the network is not known: give --profile FILE"},
      {{"-n", "auto", "--wan", "loss=1%", "--", "matmul"}, "-n auto: the work of matmul is not known"},
      {{"-n", "auto", "--wan", "loss=1%", "--", built("job_probe")},
       "job_probe is not known: give -n a number"},
      {{"-n", "auto", "--wan", "loss=100%", "--", "matmul", "--size", "64"}, "loss of 100 %"},
      {{"-n", "auto", "--profile", "/no/such.json", "--", "matmul", "--size", "9"},
       "cannot read the profile /no/such.json: No such file"},
  };
  for (const auto& [words, part] : cases) {
    const auto outcome = run(words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, HasSubstr(part));
    EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
  }
}

}  // namespace
}  // namespace lbsp::test
