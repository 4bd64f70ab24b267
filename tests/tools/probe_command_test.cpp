// lbsp probe as a user runs it, over UDP on this machine, with a bad network pretended.
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "tests/tools/agent_script.hpp"
#include "tools/probe/key_file.hpp"
#include "tools/profile/profile_file.hpp"
#include "transport/udp/port.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> probe(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {built("lbsp"), "probe"});
  return arguments;
}

std::string free_port() {
  return std::to_string(transport::UdpPort::bind("127.0.0.1", 0).port());
}

/// A far side, whose key file is there when this is made.
class Listening {
 public:
  Listening(const TemporaryFolder& folder, const std::string& wan)
      : key_(folder.path() / "key"),
        port_(free_port()),
        command_(
            probe({"--listen", port_, "--key-file", key_, "--no-compute", "--wan", wan, "--seed", "4"})) {
    for (int i = 0; i < 400 && ::access(key_.c_str(), R_OK) != 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{25});
  }

  const std::string& key() const { return key_; }
  std::string place() const { return "127.0.0.1:" + port_; }
  Command& command() { return command_; }

 private:
  std::string key_;
  std::string port_;
  Command command_;
};

std::vector<std::string> quick(std::vector<std::string> rest) {
  const std::vector<std::string> fixed{"--no-compute", "--packet-sizes", "64,1400", "--count",
                                       "200",          "--max-rate",     "40Mbit"};
  rest.insert(rest.end(), fixed.begin(), fixed.end());
  return probe(rest);
}

TEST(ProbeCommand, measures_a_host_that_listens_and_serves_the_next_client_too) {
  const TemporaryFolder folder;
  Listening far(folder, "loss=20%,rtt=10ms");
  const std::string json = folder.path() / "net.json";
  for (int client = 0; client < 2; ++client) {
    const auto outcome =
        Command(quick({far.place(), "--key-file", far.key(), "--wan", "rtt=10ms", "--json", json})).wait();
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("bandwidth"));
    const auto profile = profile::read_profile(json);
    ASSERT_EQ(profile.pairs.size(), 4U);
    for (const auto& pair : profile.pairs) {
      EXPECT_GE(pair.round_trip.minimum, 0.0099);
      if (pair.from == 1) {
        EXPECT_GT(pair.loss, 0.05);
        EXPECT_EQ(pair.loss_sample, 200U);
      }
    }
  }
  far.command().signal(SIGTERM);
  EXPECT_EQ(far.command().wait().code, 0);
}

TEST(ProbeCommand, gets_no_answer_with_another_key_and_says_so_in_one_line) {
  const TemporaryFolder folder;
  Listening far(folder, "rtt=1ms");
  const std::string other = folder.write("other", probe_command::key_as_text(transport::JobKey::random()));
  ::chmod(other.c_str(), 0600);
  const auto outcome = Command(quick({far.place(), "--key-file", other})).wait(std::chrono::seconds{30});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: " + far.place() + " does not answer"));
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1);
}

TEST(ProbeCommand, measures_every_pair_of_a_hosts_file) {
  const TemporaryFolder folder;
  const std::string hosts = folder.write("hosts", "localhost\n127.0.0.3\n");
  const auto outcome = Command(quick({"--hosts", hosts, "--wan", "loss=5%,rtt=10ms", "--json", "-"})).wait();
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto profile = profile::from_json(outcome.output, "output");
  EXPECT_EQ(profile.hosts.size(), 2U);
  EXPECT_EQ(profile.pairs.size(), 4U);
}

TEST(ProbeCommand, names_a_host_that_is_not_there_and_measures_the_others) {
  const TemporaryFolder folder;
  const auto agent =
      agent_script(folder, "test $host = b && { echo 'no such host' >&2; exit 1; }; exec \"$@\"");
  const std::string hosts =
      folder.write("hosts", "a address=127.0.0.1\nb address=127.0.0.1\nc address=127.0.0.1\n");
  const auto outcome = Command(quick({"--hosts", hosts, "--launch-agent", agent, "--wan", "rtt=5ms"})).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: host b: no such host\n"));
  EXPECT_THAT(outcome.errors, HasSubstr("2 pairs are not measured"));
  EXPECT_THAT(outcome.output, HasSubstr("a -> c"));
}

}  // namespace
}  // namespace lbsp::test
