// The real command and real namespaces; without root or TUN these tests are skipped.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/tools/wan/bed_fixture.hpp"

namespace lbsp::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class BedTest : public Bed {
 protected:
  /// What udp_peer.py prints on h0 with these words, while `host` echoes.
  std::string with_echo(const std::string& host, const std::string& what, int count) {
    const TemporaryFolder out;
    const Command echo(exec_words(
        host, {"sh", "-c",
               fmt::format("exec python3 {} echo 9000 > {}/said", LBSP_UDP_PEER, out.path().string())}));
    for (int i = 0; i < 2000 && out.read("said") != "ready\n"; ++i)
      std::this_thread::sleep_for(5ms);
    const auto outcome = exec("h0", {"python3", LBSP_UDP_PEER, what, host, "9000", std::to_string(count)});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return outcome.output;
  }
  /// Echoes on `host`, probes it from h0: answers, least and median milliseconds.
  std::vector<double> probe(const std::string& host, int count) {
    std::istringstream words(with_echo(host, "probe", count));
    std::vector<double> numbers(3);
    words >> numbers[0] >> numbers[1] >> numbers[2];
    return numbers;
  }
};

TEST_F(BedTest, delays_and_loses_what_its_hosts_send_and_counts_it) {
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

/// With 16 of them in each system call, which the kernel passes to the router as one packet if it can.
TEST_F(BedTest, treats_each_datagram_of_a_train_as_if_it_had_come_alone) {
  constexpr int sent = 640;
  std::vector<std::string> come;
  for (const bool alone : {false, true}) {
    Words options = {"-n", "2", "--wan", "loss=30%,rtt=2ms", "--seed", "3"};
    if (alone) options.emplace_back("--no-offload");
    ASSERT_EQ(up(options).code, 0);
    come.push_back(with_echo("h1", "trains", sent));
    const auto pairs = stats()["pairs"];
    EXPECT_EQ(pairs[0]["offered"], sent);
    EXPECT_EQ(pairs[0]["offered"], pairs[0]["delivered"].get<int>() + pairs[0]["lost"].get<int>());
    EXPECT_EQ(pairs[1]["offered"], pairs[0]["delivered"]);
    const auto back = std::ranges::count(come.back(), ' ') + 1;
    EXPECT_EQ(pairs[1]["delivered"].get<int>(), back);
    EXPECT_NEAR(static_cast<double>(back), 0.49 * sent, 60);
    ASSERT_EQ(down().code, 0);
  }
  EXPECT_EQ(come[0], come[1]) << "the same are lost";
}

TEST_F(BedTest, counts_what_its_router_could_not_take_and_says_so) {
  ASSERT_EQ(up({"-n", "2"}).code, 0);
  EXPECT_EQ(stats()["kept_up"], true);
  const int router_pid = router();
  constexpr int sent = 12'000;  // a device's queue holds 10,000
  ::kill(router_pid, SIGSTOP);
  const auto flood = exec("h0", {"python3", LBSP_UDP_PEER, "flood", "h1", "9", std::to_string(sent)});
  ::kill(router_pid, SIGCONT);
  ASSERT_EQ(flood.code, 0) << flood.errors;
  json counts;
  for (int i = 0; i < 100; ++i) {
    counts = stats();
    if (counts["hosts"][0]["sent"]["offered"] >= 10'000) break;
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(counts["kept_up"], false);
  EXPECT_GT(counts["device_drops"], 0);
  EXPECT_EQ(counts["hosts"][0]["sent"]["offered"].get<int>() + counts["device_drops"].get<int>(), sent);
  EXPECT_THAT(wan({"stats", "--name", name_, "--over", "0"}).output,
              HasSubstr(fmt::format("the router could not keep up: {} packets dropped before it read them",
                                    counts["device_drops"].get<int>())));
}

TEST_F(BedTest, goes_down_at_once_though_its_router_is_stopped) {
  ASSERT_EQ(up({"-n", "2"}).code, 0);
  ::kill(router(), SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(down().code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 15s) << "a stopped process would be killed after 20 s";
}

TEST_F(BedTest, has_another_network_for_every_ordered_pair_of_a_matrix) {
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

TEST_F(BedTest, replays_a_profile_and_remembers_which_host_is_which) {
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
  EXPECT_GE(answers[1], 27.2);  // the probe's packets took 1.4 ms on the link each way
}

TEST_F(BedTest, runs_commands_with_their_exit_code_name_input_and_only_the_beds_network) {
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

TEST_F(BedTest, leaves_nothing_behind) {
  ASSERT_EQ(up({"-n", "4", "--wan", "rtt=1ms"}).code, 0);
  const int router_pid = router();
  const auto deaf = sleeper("sleep 1000 & sleep 1000", "trap '' TERM;");
  ASSERT_EQ(down().code, 0);
  EXPECT_EQ(deaf->wait(10s).signal, SIGKILL);
  EXPECT_TRUE(disappears(router_pid));
  EXPECT_FALSE(fs::exists(folder()));
  expect_refusal(down(), "no bed " + name_ + " is up");
}

/// ^C left a folder of which the next `up` said that the bed is up, and `exec` that its router had died.
TEST_F(BedTest, that_is_given_up_while_it_is_made_leaves_nothing_behind) {
  for (const auto wait : {1ms, 3ms, 6ms, 10ms, 15ms, 25ms, 40ms}) {
    for (const int number : {SIGINT, SIGTERM}) {
      Command command({built("lbsp"), "wan", "up", "-n", "20", "--name", name_});
      std::this_thread::sleep_for(wait);
      command.signal(number);
      const Outcome ended = command.wait();
      if (ended.signal == 0) {  // the bed was up already
        EXPECT_EQ(ended.code, 0) << ended.errors;
        EXPECT_EQ(down().code, 0);
      }
      EXPECT_FALSE(fs::exists(folder())) << wait.count() << " ms, signal " << number;
      if (fs::exists(folder())) down();
    }
  }
}

TEST_F(BedTest, says_that_its_router_was_killed_and_is_cleaned_up_all_the_same) {
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
  ASSERT_EQ(down().code, 0);
  EXPECT_EQ(left_over->wait(10s).signal, SIGTERM);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(BedTest, that_was_never_finished_is_cleaned_up) {
  fs::create_directories(folder());
  expect_refusal(exec("h0", {"true"}), "is not complete");
  EXPECT_EQ(down().code, 0);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(BedTest, carries_a_verified_job_over_four_hosts_with_losses) {
  ASSERT_EQ(up({"-n", "4", "--wan", "loss=10%,rtt=10ms,corrupt=5%"}).code, 0);
  const auto outcome =
      Command(run_words({"--json", "-", "--", "matmul", "--size", "200", "--verify"})).wait();
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = json::parse(outcome.output);
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["per_rank"][3]["host"], "h3");
  EXPECT_GT(report["packets"]["rejected"], 0);  // what the bed has corrupted reaches the program
  EXPECT_GT(stats()["total"]["lost"], 0);
}

#ifdef LBSP_WITH_MPI
TEST_F(BedTest, says_why_an_mpi_job_on_it_cannot_start) {
  ASSERT_EQ(up({"-n", "2"}).code, 0);
  Words without_mpirun = mpi_run_words({"--", built("job_probe"), "steps", "3"});
  const auto lbsp = std::ranges::find(without_mpirun, "--") + 1;
  without_mpirun.insert(lbsp, {"env", "PATH=/nowhere"});
  expect_refusal(Command(without_mpirun).wait(), "there is no mpirun in PATH: install openmpi-bin");

  const Words job = {"--backend", "mpi", "--hosts", bed()["hosts_file"]};
  const auto run_with = [&](const Words& options) {
    Words words = job;
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", built("job_probe"), "steps", "3"});
    return exec("h0", lbsp_run(words));
  };
  expect_refusal(run_with({"--launch-agent", "/no/such/agent"}),
                 "--launch-agent: there is no /no/such/agent");
  const auto unreachable = run_with({"--launch-agent", "false"});
  EXPECT_EQ(unreachable.code, 1);
  EXPECT_THAT(unreachable.errors, HasSubstr("lbsp: mpirun ended with exit code"));
}
#endif

TEST_F(BedTest, refuses_what_cannot_be_and_then_there_is_none) {
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
      {{"-n", "2", "--json", "/no/such/file"}, "cannot write /no/such/file"},
  };
  for (const auto& [words, part] : cases) {
    expect_refusal(up(words), part);
    EXPECT_FALSE(fs::exists(folder())) << part;
  }
  expect_refusal(wan({"up", "-n", "2", "--name", "../x"}), "--name \"../x\": choose");
  expect_refusal(wan({"up", "-n", "2", "--name", "-x"}), "--name \"-x\": choose");
  expect_refusal(wan({"exec", "--name", name_, "h0", "--", "true"}), "no bed " + name_ + " is up");
  expect_refusal(wan({"stats", "--name", name_}), "no bed " + name_ + " is up");
}

TEST_F(BedTest, that_is_up_stays_as_it_is_when_asked_for_again_or_wrongly) {
  ASSERT_EQ(up({"-n", "2"}).code, 0);
  expect_refusal(up({"-n", "3"}), "the bed " + name_ + " is up already");
  expect_refusal(exec("h2", {"true"}), "no host h2 in the bed " + name_ + ": there are h0 to h1, or all");
  expect_refusal(wan({"exec", "--name", name_}), "no host");
  expect_refusal(
      wan({"exec", "h0", "--name", name_, "--", "true"}),
      "--name behind the host would be the command: write options before it: lbsp wan exec --name … h0");
  expect_refusal(wan({"exec", "--name", name_, "h0"}), "no command");
  expect_refusal(wan({"exec", "--name", name_, "h0", "--"}), "no command");
  EXPECT_EQ(exec("h1", {"true"}).code, 0);
}

TEST_F(BedTest, without_root_or_tun_says_what_is_missing) {
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

}  // namespace
}  // namespace lbsp::test
