// Which hosts of a profile lbsp tune takes.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "tests/tools/tune/tune_command.hpp"

namespace lbsp::tune {
namespace {

TEST(TuneHosts, leaves_out_the_hosts_that_hold_the_others_up) {
  const TemporaryFolder folder;
  const std::string file = folder.write("net.json", profile(6).dump());
  const json got = answer("--profile " + file + " --algorithm matmul --size 10000");
  EXPECT_EQ(got.at("nodes"), 4);
  EXPECT_EQ(got.at("hosts"), json({"h0", "h3", "h4", "h5"}));
  const json few = answer("--profile " + file + " --algorithm matmul --size 10000 --max-nodes 1");
  EXPECT_EQ(few.at("nodes"), 1);
  EXPECT_EQ(few.at("hosts").size(), 1U);
}

TEST(TuneHosts, of_a_profile_without_the_rate_asks_for_it) {
  const TemporaryFolder folder;
  const std::string file = "--profile " + folder.write("net.json", profile(3).dump()).string();
  expect_refused(file + " --algorithm jacobi --size 1000", "--flops");
  EXPECT_EQ(tune(file + " --algorithm jacobi --size 1000 --flops 1e9").code, 0);
}

/// Without what `matches` says of a pair.
template <class Matches>
json without(json profile, Matches matches) {
  json left = json::array();
  for (const json& pair : profile["pairs"])
    if (!matches(pair["from"].get<int>(), pair["to"].get<int>())) left.push_back(pair);
  profile["pairs"] = left;
  return profile;
}

std::string warnings_of(const json& answer) {
  std::string all;
  for (const json& warning : answer.at("warnings"))
    all += warning.get<std::string>() + "\n";
  return all;
}

TEST(TuneHosts, does_without_a_pair_that_was_not_measured_and_says_which) {
  const TemporaryFolder folder;
  const json lacking =
      without(profile(6), [](int from, int to) { return std::minmax(from, to) == std::minmax(3, 5); });
  const std::string file = folder.write("net.json", lacking.dump());
  const json got = answer("--profile " + file + " --algorithm matmul --size 10000");
  EXPECT_EQ(got.at("nodes"), 4);
  EXPECT_EQ(got.at("hosts"), json({"h0", "h3", "h4", "h5"}));
  EXPECT_THAT(warnings_of(got), HasSubstr("not measured: h3 - h5: such a pair counts as the worst"));
  EXPECT_THAT(warnings_of(got), HasSubstr("--resume measures it"));
}

/// There are two hundred million such pairs.
TEST(TuneHosts, takes_no_memory_for_pairs_that_were_not_measured) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  const TemporaryFolder folder;
  json many = profile(4);
  json one = many["hosts"][0];
  for (int host = 4; host < 20'000; ++host) {
    one["name"] = fmt::format("h{}", host);
    many["hosts"].push_back(one);
  }
  // A chain, so that each host has a path.
  for (int host = 4; host < 20'000; ++host) {
    json pair = many["pairs"][0];
    pair["from"] = host - 1;
    pair["to"] = host;
    many["pairs"].push_back(pair);
  }
  const std::string out = folder.path() / "out";
  const std::string command = "ulimit -v 400000; " LBSP_COMMAND
                              " tune --algorithm matmul --size 4000 --profile " +
                              folder.write("net.json", many.dump()).string() + " >" + out + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << folder.read("out").substr(0, 500);
  EXPECT_THAT(folder.read("out"), HasSubstr("not measured: h0 - h4, h0 - h5, h0 - h6 and 199989991 more: "));
}

/// A warning that stands under every answer helps nobody.
TEST(TuneHosts, warns_of_a_loss_that_was_measured_with_less_than_probe_does_by_itself) {
  const TemporaryFolder folder;
  const auto warnings_for = [&](int sample) {
    json sampled = profile(4);
    for (json& pair : sampled["pairs"])
      pair["loss_sample"] = sample;
    const std::string file = folder.write("net.json", sampled.dump());
    return warnings_of(answer("--profile " + file + " --algorithm matmul --size 10000 --nodes 4"));
  };
  EXPECT_EQ(warnings_for(300), "");
  EXPECT_THAT(warnings_for(60), HasSubstr("60 datagrams only: measure it with more, by lbsp probe --count"));
}

/// Nothing passes between some hosts, h3 and h5 among them.
json cut_profile(int hosts, const std::vector<std::pair<int, int>>& cuts) {
  json lacking = profile(hosts);
  for (const auto& [one, other] : cuts) {
    lacking =
        without(lacking, [&](int from, int to) { return std::minmax(from, to) == std::minmax(one, other); });
    lacking["failed"].push_back({{"from", one}, {"to", other}, {"reason", "stopped answering"}});
  }
  return lacking;
}

TEST(TuneHosts, never_takes_two_hosts_together_between_which_nothing_passed) {
  const TemporaryFolder folder;
  const auto asked = [&](const json& measured, const std::string& more) {
    return answer("--profile " + folder.write("net.json", measured.dump()).string() +
                  " --algorithm own --work 1000h --message 1000 " + more);
  };
  const json one = asked(cut_profile(6, {{3, 5}}), "");
  EXPECT_EQ(one.at("hosts"), json({"h0", "h1", "h2", "h3", "h4"}));
  EXPECT_THAT(warnings_of(one), HasSubstr("could not be measured: h3 - h5 (stopped answering): such hosts"));
  // The host with most such pairs goes, not all the others.
  const json several = asked(cut_profile(6, {{3, 5}, {3, 4}, {0, 3}}), "");
  EXPECT_EQ(several.at("hosts"), json({"h0", "h1", "h2", "h4", "h5"}));
  expect_refused("--profile " + (folder.path() / "net.json").string() +
                     " --algorithm own --work 1000h --message 1000 --nodes 6",
                 "--nodes 6: the profile has 5 hosts that reach one another: give no more");
}

TEST(TuneHosts, prefers_hosts_between_which_every_pair_was_measured) {
  const TemporaryFolder folder;
  const json lacking = without(profile(7), [](int from, int to) { return from == 6 && to == 3; });
  const json got = answer("--profile " + folder.write("net.json", lacking.dump()).string() +
                          " --algorithm matmul --size 10000");
  EXPECT_EQ(got.at("nodes"), 4);
  EXPECT_FALSE(got.at("hosts").contains("h3") && got.at("hosts").contains("h6"));
}

TEST(TuneHosts, leaves_out_a_host_that_was_not_reached_and_needs_no_rate_of_it) {
  const TemporaryFolder folder;
  json lacking = without(profile(4), [](int from, int to) { return from == 1 || to == 1; });
  lacking["hosts"][1]["compute"] = nullptr;
  const json got = answer("--profile " + folder.write("net.json", lacking.dump()).string() +
                          " --algorithm own --work 1000h --message 1000");
  EXPECT_EQ(got.at("hosts"), json({"h0", "h2", "h3"}));
  EXPECT_THAT(warnings_of(got), HasSubstr("host h1 is left out"));
}

}  // namespace
}  // namespace lbsp::tune
