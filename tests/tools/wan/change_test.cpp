// The network of a bed changes while it is up.
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class ChangedBed : public Bed {
 protected:
  /// Whether all echoes to the host came back, with packets of so many bytes, IP's header included.
  bool reaches(const std::string& host, int bytes) const {
    return exec("h0", {"ping", "-q", "-c", "3", "-i", "0.2", "-W", "1", "-M", "do", "-s",
                       std::to_string(bytes - 28), host})
               .code == 0;
  }
};

TEST_F(ChangedBed, keeps_what_is_not_named_and_changes_only_the_pairs_that_are) {
  ASSERT_EQ(up({"-n", "3", "--wan", "rtt=4ms"}).code, 0);
  EXPECT_TRUE(reaches("h1", 1400));
  const auto outcome = change({"--wan", "mtu=1000", "--to", "h1"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, name_ + ": rtt=4ms; mtu differs from pair to pair\n");
  EXPECT_FALSE(reaches("h1", 1001));
  EXPECT_TRUE(reaches("h1", 1000));
  EXPECT_TRUE(reaches("h2", 1400));
  EXPECT_GT(stats()["total"]["too_long"], 0);
  EXPECT_EQ(change({"--wan", "loss=100%"}).output,
            name_ + ": loss=100%,rtt=4ms; mtu differs from pair to pair\n");
  EXPECT_FALSE(reaches("h2", 100));
  EXPECT_EQ(change({"--reset", "--wan", "rtt=2ms"}).output, name_ + ": rtt=2ms\n");
  EXPECT_TRUE(reaches("h2", 1400));
  EXPECT_EQ(bed()["network"], "rtt=2ms");
}

TEST_F(ChangedBed, refuses_what_makes_no_sense_and_stays_as_it_was) {
  const TemporaryFolder files;
  const auto matrix = files.write("net", "- loss=1%\nloss=1% -\n");
  ASSERT_EQ(up({"-n", "3", "--wan", "rtt=4ms"}).code, 0);
  expect_refusal(change({}), "either --wan SPEC or --matrix FILE");
  expect_refusal(change({"--wan", "loss=1%", "--matrix", matrix}), "either --wan SPEC or --matrix FILE");
  expect_refusal(change({"--wan", "lost=1%"}), "lost");
  expect_refusal(change({"--wan", "loss=1%", "--from", "h3"}), "no host h3");
  expect_refusal(change({"--matrix", matrix}), "is for 2 hosts");
  expect_refusal(change({"--matrix", matrix, "--to", "h1"}), "leave them out");
  expect_refusal(wan({"change", "--name", name_ + "x", "--wan", "loss=1%"}), "no bed");
  EXPECT_EQ(bed()["network"], "rtt=4ms");
}

TEST_F(ChangedBed, carries_a_job_whose_path_narrows_silently_while_it_runs) {
  for (const bool told : {true, false}) {
    Words words = {"-n", "2", "--wan", "rtt=10ms,rate=100Mbit"};
    if (!told) words.push_back("--no-icmp");
    ASSERT_EQ(up(words).code, 0);
    Command job(run_words(
        {"--peer-timeout", "5s", "--", "jacobi", "--size", "257", "--iterations", "200", "--verify"}));
    std::this_thread::sleep_for(500ms);
    EXPECT_EQ(change({"--wan", "mtu=1280"}).code, 0);
    const auto outcome = job.wait(60s);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("verified    yes"));
    EXPECT_EQ(down().code, 0);
  }
}

TEST_F(ChangedBed, whose_router_has_died_is_named_in_what_ends_it) {
  ASSERT_EQ(up({"-n", "2"}).code, 0);
  const int killed = router();
  ::kill(killed, SIGKILL);
  ASSERT_TRUE(disappears(killed));
  expect_refusal(change({"--wan", "loss=1%"}), "lbsp wan down --name " + name_);
}

}  // namespace
}  // namespace lbsp::test
