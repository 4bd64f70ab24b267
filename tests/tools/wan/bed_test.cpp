// The real command and real namespaces; without root or TUN these tests are skipped.
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Words = std::vector<std::string>;

/// Where the root is no mount point, as in a plain chroot, a host gets no name file of its own.
bool makes_namespaces() {
  return ::unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

const char* what_is_missing() {
  if (::geteuid() != 0) return "needs root";
  const int tun = ::open("/dev/net/tun", O_RDWR);
  if (tun < 0) return "needs /dev/net/tun";
  ::close(tun);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(makes_namespaces() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? nullptr : "needs network and mount namespaces";
}

Outcome wan(Words words) {
  words.insert(words.begin(), {built("lbsp"), "wan"});
  return Command(words).wait();
}

void expect_refusal(const Outcome& outcome, const std::string& part) {
  EXPECT_EQ(outcome.code, 1) << part;
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.errors, AllOf(StartsWith("lbsp: "), HasSubstr(part), EndsWith("\n")));
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
}

class Bed : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* missing = what_is_missing()) GTEST_SKIP() << missing;
  }
  void TearDown() override {
    if (fs::exists(folder())) wan({"down", "--name", name_});
  }

  fs::path folder() const { return "/run/lbsp-wan/" + name_; }

  Outcome up(Words options) {
    options.insert(options.begin(), {"up", "--name", name_});
    return wan(options);
  }
  json bed() const { return json::parse(wan({"hosts", "--name", name_, "--json", "-"}).output); }
  int router() const { return bed()["router_pid"]; }
  json stats() const {
    return json::parse(wan({"stats", "--name", name_, "--over", "0", "--json", "-"}).output);
  }

  Words exec_words(const std::string& host, const Words& command) const {
    Words words = {built("lbsp"), "wan", "exec", "--name", name_, host, "--"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  Outcome exec(const std::string& host, const Words& command) const {
    return Command(exec_words(host, command)).wait();
  }

  /// Runs the words of a shell on h0, and returns when they have begun.
  std::unique_ptr<Command> sleeper(const std::string& words) const {
    const TemporaryFolder begun;
    auto command = std::make_unique<Command>(exec_words(
        "h0",
        {"sh", "-c", fmt::format("echo $$ > {0}/new; mv {0}/new {0}/0; {1}", begun.path().string(), words)}));
    EXPECT_EQ(wait_for_pids(begun, 1).size(), 1U);
    return command;
  }

  /// Echoes on `host`, probes it from h0: answers, least and median milliseconds.
  std::vector<double> probe(const std::string& host, int count) {
    const TemporaryFolder out;
    const Command echo(exec_words(
        host, {"sh", "-c",
               fmt::format("exec python3 {} echo 9000 > {}/said", LBSP_UDP_PEER, out.path().string())}));
    for (int i = 0; i < 2000 && out.read("said") != "ready\n"; ++i)
      std::this_thread::sleep_for(5ms);
    const auto outcome = exec("h0", {"python3", LBSP_UDP_PEER, "probe", host, "9000", std::to_string(count)});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    std::istringstream words(outcome.output);
    std::vector<double> numbers(3);
    words >> numbers[0] >> numbers[1] >> numbers[2];
    return numbers;
  }

  const std::string name_ = fmt::format("test-{}", ::getpid());
};

TEST_F(Bed, delays_and_loses_what_its_hosts_send_and_counts_it) {
  ASSERT_EQ(up({"-n", "3", "--wan", "loss=10%,rtt=30ms"}).code, 0);
  const auto answers = probe("h2", 600);
  // Both ways: 0.81 of 600 come back, 4.5 standard deviations around it.
  EXPECT_NEAR(answers[0], 486, 43);
  EXPECT_GE(answers[1], 30);
  EXPECT_LT(answers[1], 45);
  const auto counts = stats();
  EXPECT_EQ(counts["hosts"][1]["sent"]["offered"], 0);
  ASSERT_EQ(counts["pairs"].size(), 2U);
  for (const auto& pair : counts["pairs"]) {
    EXPECT_EQ(pair["offered"], pair["delivered"].get<int>() + pair["lost"].get<int>());
    EXPECT_GT(pair["lost"], 10);
  }
  EXPECT_EQ(counts["pairs"][0]["offered"], 600);
  EXPECT_EQ(counts["pairs"][1]["delivered"], static_cast<int>(answers[0]));
}

TEST_F(Bed, has_another_network_for_every_ordered_pair_of_a_matrix) {
  const TemporaryFolder files;
  const auto matrix = files.write("net", "- loss=0% rtt=40ms\nloss=0% - loss=0%\nloss=100% loss=0% -\n");
  ASSERT_EQ(up({"--matrix", matrix}).code, 0);
  const auto there = probe("h1", 20);
  EXPECT_EQ(there[0], 20);
  EXPECT_EQ(probe("h2", 20)[0], 0);
  const auto counts = stats()["pairs"];
  EXPECT_EQ(counts.back()["from"], 2);
  EXPECT_EQ(counts.back()["lost"], 20);
}

TEST_F(Bed, replays_a_profile_and_remembers_which_host_is_which) {
  const TemporaryFolder files;
  const std::string numbers =
      R"("packet_size": 1400, "loss": 0, "loss_interval": [0, 1], "second_copy_loss": [], "burst": 1,
         "rtt": {"min": 0.03, "median": 0.03, "p99": 0.03}, "bandwidth": 1e6)";
  const auto profile = files.write(
      "net.json", fmt::format(R"({{"version": 1, "hosts": [{{"name": "a.org"}}, {{"name": "b.org"}}],
        "pairs": [{{"from": 0, "to": 1, {0}}}, {{"from": 1, "to": 0, {0}}}]}})",
                              numbers));
  const auto outcome = up({"--profile", profile});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(bed()["hosts"][1]["network"], "b.org");
  const auto answers = probe("h1", 20);
  EXPECT_EQ(answers[0], 20);
  EXPECT_GE(answers[1], 30);
}

TEST_F(Bed, runs_commands_with_their_exit_code_name_input_and_only_the_beds_network) {
  ASSERT_EQ(up({"-n", "2"}).code, 0);
  EXPECT_EQ(exec("h1", {"sh", "-c", "exit 42"}).code, 42);
  EXPECT_EQ(exec("h1", {"sh", "-c", "kill -9 $$"}).signal, SIGKILL);
  EXPECT_EQ(exec("h1", {"hostname"}).output, "h1\n");
  EXPECT_EQ(exec("198.18.0.2", {"hostname"}).output, "h1\n");
  Command with_input(exec_words("h0", {"cat"}), {.input = "through\n"});
  EXPECT_EQ(with_input.wait().output, "through\n");
  const auto missing = exec("h0", {"/no/such/command"});
  EXPECT_EQ(missing.code, 127);
  EXPECT_THAT(missing.errors, StartsWith("lbsp: cannot start /no/such/command: No such file or directory"));
  const auto shell = wan({"exec", "--name", name_, "--shell", "h1", " x=5;", "exit $x"});
  EXPECT_EQ(shell.code, 5) << shell.errors;
  // One route, to the bed.
  EXPECT_EQ(exec("h0", {"sh", "-c", "tail -n +2 /proc/net/route | wc -l"}).output, "1\n");
  EXPECT_EQ(exec("h0", {"cat", "/proc/net/if_inet6"}).output, "");
  EXPECT_EQ(exec("all", {"true"}).code, 0);
  EXPECT_EQ(exec("all", {"sh", "-c", "test $(hostname) = h0 || exit 7"}).code, 7);
}

TEST_F(Bed, leaves_nothing_behind) {
  ASSERT_EQ(up({"-n", "4", "--wan", "rtt=1ms"}).code, 0);
  const int router_pid = router();
  const auto deaf = sleeper("trap '' TERM; sleep 1000 & sleep 1000");
  ASSERT_EQ(wan({"down", "--name", name_}).code, 0);
  EXPECT_EQ(deaf->wait(10s).signal, SIGKILL);
  EXPECT_TRUE(disappears(router_pid));
  EXPECT_FALSE(fs::exists(folder()));
  expect_refusal(wan({"down", "--name", name_}), "no bed " + name_ + " is up");
}

TEST_F(Bed, says_that_its_router_was_killed_and_is_cleaned_up_all_the_same) {
  ASSERT_EQ(up({"-n", "2"}).code, 0);
  const int router_pid = router();
  const auto left_over = sleeper("exec sleep 1000");
  ::kill(router_pid, SIGKILL);
  ASSERT_TRUE(disappears(router_pid));
  expect_refusal(exec("h1", {"true"}),
                 fmt::format("the router of the bed {} (process {}) has died", name_, router_pid));
  const auto outcome = wan({"stats", "--name", name_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("has died, and its hosts with it: lbsp wan down --name " + name_));
  ASSERT_EQ(wan({"down", "--name", name_}).code, 0);
  EXPECT_EQ(left_over->wait(10s).signal, SIGTERM);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(Bed, that_was_never_finished_is_cleaned_up) {
  fs::create_directories(folder());
  expect_refusal(exec("h0", {"true"}), "is not complete");
  EXPECT_EQ(wan({"down", "--name", name_}).code, 0);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(Bed, carries_a_verified_job_over_four_hosts_with_losses) {
  ASSERT_EQ(up({"-n", "4", "--wan", "loss=10%,rtt=10ms,corrupt=5%"}).code, 0);
  const json where = bed();
  const auto outcome = run({"--hosts", where["hosts_file"], "--launch-agent", where["launch_agent"], "--json",
                            "-", "--", "matmul", "--size", "200", "--verify"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = json::parse(outcome.output);
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["per_rank"][3]["host"], "h3");
  EXPECT_GT(report["packets"]["rejected"], 0);  // what the bed has corrupted reaches the program
  EXPECT_GT(stats()["total"]["lost"], 0);
}

TEST_F(Bed, refuses_what_cannot_be_and_then_there_is_none) {
  const TemporaryFolder files;
  const auto matrix = files.write("net", "- loss=1%\nloss=1% -\n");
  const std::vector<std::pair<Words, std::string>> cases = {
      {{}, "how many hosts?"},
      {{"-n", "0"}, "-n 0: choose a whole number from 1 to 250"},
      {{"-n", "251"}, "-n 251: choose a whole number from 1 to 250"},
      {{"-n", "many"}, "-n many: choose"},
      {{"-n", "2", "--wan", "loss=200%"}, "200%"},
      {{"-n", "2", "--wan", "lost=1%"}, "lost"},
      {{"-n", "3", "--matrix", matrix}, "which is for 2 hosts"},
      {{"--matrix", "/no/such/file"}, "cannot read the matrix /no/such/file"},
      {{"--matrix", files.write("wrong", "- -\n")}, "wrong, line 1: 2 entries"},
      {{"--profile", "/no/such/file"}, "/no/such/file"},
      {{"--matrix", matrix, "--wan", "loss=1%"}, "give one of them"},
      {{"-n", "2", "--seed", "x"}, "--seed x: choose"},
      {{"-n", "2", "--colour", "red"}, "--colour"},
  };
  for (const auto& [words, part] : cases) {
    expect_refusal(up(words), part);
    EXPECT_FALSE(fs::exists(folder())) << part;
  }
  expect_refusal(wan({"up", "-n", "2", "--name", "../x"}), "--name \"../x\": choose");
  expect_refusal(wan({"exec", "--name", name_, "h0", "--", "true"}), "no bed " + name_ + " is up");
  expect_refusal(wan({"stats", "--name", name_}), "no bed " + name_ + " is up");
}

TEST_F(Bed, that_is_up_stays_as_it_is_when_asked_for_again_or_wrongly) {
  ASSERT_EQ(up({"-n", "2"}).code, 0);
  expect_refusal(up({"-n", "3"}), "the bed " + name_ + " is up already");
  expect_refusal(exec("h2", {"true"}), "no host h2 in the bed " + name_ + ": there are h0 to h1, or all");
  expect_refusal(wan({"exec", "--name", name_}), "no host");
  expect_refusal(wan({"exec", "--name", name_, "h0"}), "no command");
  expect_refusal(wan({"exec", "--name", name_, "h0", "--"}), "no command");
  EXPECT_EQ(exec("h1", {"true"}).code, 0);
}

TEST_F(Bed, without_root_or_tun_says_what_is_missing) {
  const std::string up_command = fmt::format("{} wan up -n 2 --name {}", built("lbsp"), name_);
  expect_refusal(
      Command({"unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev/net && exec " + up_command}).wait(),
      "/dev/net/tun: No such file or directory");
  EXPECT_FALSE(fs::exists(folder()));
  if (::access(built("lbsp").c_str(), X_OK) != 0) return;
  const auto outcome =
      Command({"setpriv", "--reuid", "65534", "--clear-groups", "sh", "-c", up_command}).wait();
  if (outcome.code == 126) GTEST_SKIP() << "nobody may not run lbsp where it is built";
  expect_refusal(outcome, "virtual hosts need root");
}

TEST(WanCommand, without_a_right_word_says_which_there_are) {
  expect_refusal(wan({}), "there are lbsp wan up, exec, stats, hosts and down");
  expect_refusal(wan({"sideways"}), "lbsp wan has no sideways");
  for (const char* command : {"up", "exec", "stats", "hosts", "down"}) {
    const auto outcome = wan({command, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.output, HasSubstr("Example: lbsp wan"));
  }
}

}  // namespace
}  // namespace lbsp::test
