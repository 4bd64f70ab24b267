// What the probe measures on a bed, replayed as a bed of its own, is measured there again.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;

/// Short of processor time, a probe measures its own machine.
Words first_in_line() {
  const Words real_time = {"chrt", "--rr", "3"};
  const bool allowed = Command({"chrt", "--rr", "3", "true"}).wait().code == 0;
  return allowed ? real_time : Words{"nice", "-n", "-15"};
}

class ReplayedBed : public Bed {
 protected:
  /// The profile of the bed that is up, in a file.
  std::string probe(const std::string& name) {
    const json where = bed();
    const std::string file = files_.path() / name;
    Words words = first_in_line();
    words.insert(words.end(), {built("lbsp"), "probe", "--hosts", where["hosts_file"], "--launch-agent",
                               where["launch_agent"], "--json", file, "--no-compute", "--packet-sizes",
                               "1400", "--count", "1000"});
    const auto outcome = Command(words).wait();
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return file;
  }
  json pairs(const std::string& name) const { return json::parse(files_.read(name))["pairs"]; }

  const TemporaryFolder files_;
};

TEST_F(ReplayedBed, is_measured_as_the_network_that_it_replays) {
  const auto matrix = files_.write("matrix",
                                   "-                               rtt=30ms,loss=10%,rate=20Mbit\n"
                                   "rtt=30ms,loss=5%,burst=3,jitter=2ms,rate=10Mbit             -\n");
  ASSERT_EQ(up({"--matrix", matrix}).code, 0);
  const auto measured = probe("measured");
  ASSERT_EQ(down().code, 0);
  const auto outcome = up({"--profile", measured});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  probe("again");
  const json first = pairs("measured");
  const json second = pairs("again");
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  for (std::size_t i = 0; i < first.size(); ++i) {
    SCOPED_TRACE(first[i].dump() + "\n" + second[i].dump());
    EXPECT_LE(first[i]["loss_interval"][0], second[i]["loss_interval"][1]);
    EXPECT_LE(second[i]["loss_interval"][0], first[i]["loss_interval"][1]);
    // What the machine adds the second time comes on top of the first.
    const double rtt = first[i]["rtt"]["median"];
    EXPECT_GE(second[i]["rtt"]["median"], 0.95 * rtt);
    EXPECT_LE(second[i]["rtt"]["median"], 1.1 * rtt);
    const double bandwidth = first[i]["bandwidth"];
    EXPECT_LE(second[i]["bandwidth"], 1.05 * bandwidth);
    EXPECT_GE(second[i]["bandwidth"], 0.9 * bandwidth);
    const double burst = first[i]["burst"];
    // A thousand datagrams have some twenty bursts.
    EXPECT_NEAR(second[i]["burst"], burst, 0.5 * burst);
  }
}

}  // namespace
}  // namespace lbsp::test
