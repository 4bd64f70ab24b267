// Hosts whose devices carry less than an Ethernet, as a tunnel's do: probe finds it, tune and run keep to it.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST_F(Bed, of_tunnels_is_measured_tuned_for_and_used_with_datagrams_that_fit) {
  ASSERT_EQ(up({"-n", "2", "--wan", "rtt=10ms,rate=100Mbit"}).code, 0);
  for (const char* const host : {"h0", "h1"})
    ASSERT_EQ(exec(host, {"ip", "link", "set", "wan0", "mtu", "1420"}).code, 0);
  const TemporaryFolder files;
  const std::string profile = files.path() / "net.json";
  const json where = bed();
  const auto probed = Command({built("lbsp"), "probe", "--hosts", where["hosts_file"], "--launch-agent",
                               where["launch_agent"], "--json", profile, "--no-compute", "--count", "100"})
                          .wait();
  ASSERT_EQ(probed.code, 0) << probed.errors;
  const json pairs = json::parse(files.read("net.json"))["pairs"];
  EXPECT_EQ(pairs.size(), 6U);
  for (const json& pair : pairs) {
    EXPECT_EQ(pair["largest_datagram"], 1392);
    EXPECT_LE(pair["packet_size"], 1392);
    EXPECT_EQ(pair["fragmented"], false);
  }

  const auto tuned = Command({built("lbsp"), "tune", "--profile", profile, "--algorithm", "fft2d", "--size",
                              "256", "--flops", "1e6"})
                         .wait();
  ASSERT_EQ(tuned.code, 0) << tuned.errors;
  ASSERT_THAT(tuned.output, HasSubstr(" --datagram 1392 "));
  // The command that it prints, over these hosts: run_words() names them.
  const std::size_t at = tuned.output.find("lbsp run ") + 9;
  std::istringstream line(tuned.output.substr(at, tuned.output.find('\n', at) - at));
  Words words;
  for (std::string word; line >> word;)
    words.push_back(word);
  const auto hosts = std::ranges::find(words, "--hosts");
  ASSERT_NE(hosts, words.end()) << tuned.output;
  words.erase(hosts, hosts + 2);
  words.push_back("--verify");
  const auto ran = Command(run_words(words)).wait();
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("verified    yes"));

  const auto asked = Command(run_words({"--profile", profile, "--datagram", "1473", "--json", "-", "--",
                                        "fft2d", "--size", "128", "--verify"}))
                         .wait();
  ASSERT_EQ(asked.code, 0) << asked.errors;
  EXPECT_EQ(json::parse(asked.output)["options"]["datagram"], 1392);
}

}  // namespace
}  // namespace lbsp::test
