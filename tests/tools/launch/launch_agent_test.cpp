#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/launch/agent_script.hpp"

namespace lbsp::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

int process_id_in(const std::string& file) {
  std::ifstream in(file);
  int pid = 0;
  in >> pid;
  return pid;
}

/// Three hosts that are all this one; each agent's process id is in a file of the host's name.
class AgentScript : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string script_ =
      agent_script(folder_, "echo $$ > " + folder_.path().string() + "/agent-$host\nexec \"$@\"");
  const std::string hosts_ =
      "a slots=2 address=127.0.0.1\nb address=127.0.0.1  # one slot\nc slots=2 user=me address=127.0.0.1\n";

  Outcome run_probe(const std::vector<std::string>& options, const CommandSettings& settings = {}) {
    return run(over_hosts(folder_, hosts_, script_, options), settings);
  }
};

TEST_F(AgentScript, runs_a_rank_for_every_slot_and_tells_hosts_apart_in_the_report) {
  const auto outcome = run_probe({"--json", "-", "--", built("job_probe"), "steps", "20"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  std::string hosts;
  for (const auto& rank : report["per_rank"])
    hosts += rank["host"].get<std::string>() + " ";
  EXPECT_EQ(hosts, "a a b c c ");
  EXPECT_EQ(report["supersteps"], 20);
  EXPECT_TRUE(fs::exists(folder_.path() / "agent-me@c"));
}

TEST_F(AgentScript, hosts_of_one_address_take_successive_ports) {
  const auto outcome =
      run_probe({"--port", "4331", "--shared-memory", "off", "--", built("job_probe"), "steps", "20"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const auto beyond = run_probe({"--port", "65534", "--", built("job_probe"), "steps", "1"});
  EXPECT_EQ(beyond.code, 1);
  EXPECT_THAT(beyond.errors, StartsWith("lbsp: --port 65534: 127.0.0.1 is 3 times among the hosts"));
}

TEST_F(AgentScript, a_graph_of_tasks_has_its_place_in_the_report) {
  const auto outcome = run_probe(
      {"--json", "-", "-n", "3", "--", "dataflow", "fft", "--size", "1024", "--pieces", "8", "--verify"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output.substr(outcome.output.find('{')));
  EXPECT_EQ(report["verified"], true);
  const auto& graph = report["notes"]["dataflow"];
  EXPECT_EQ(graph["tokens"], 32);
  EXPECT_EQ(graph["levels"], 4);
  EXPECT_GT(graph["fetched_bytes"], 0);
  EXPECT_GT(graph["planning_seconds"], 0);
  EXPECT_TRUE(graph["moves"].is_number_integer());
}

TEST_F(AgentScript, ranks_of_one_host_use_its_memory_and_send_datagrams_to_others) {
  const auto outcome = run_probe(
      {"--json", "-", "-n", "4", "--rate", "1Gbit", "--", "bitonic_sort", "--size", "400000", "--verify"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["backend"], "udp");
  EXPECT_EQ(report["shared_memory"], true);
  EXPECT_EQ(report["verified"], true);
  EXPECT_GT(report["packets"]["sent"], 0);
  EXPECT_LT(report["bytes"]["wire"], report["bytes"]["payload"]);
  EXPECT_THAT(outcome.errors, HasSubstr(" on 4 ranks over udp and, within hosts, shared-memory\n"));
  const auto without = run_probe(
      {"--json", "-", "-n", "4", "--shared-memory", "off", "--", "bitonic_sort", "--size", "400000"});
  ASSERT_EQ(without.code, 0) << without.errors;
  const auto datagrams = nlohmann::json::parse(without.output);
  EXPECT_EQ(datagrams["shared_memory"], false);
  EXPECT_GT(datagrams["bytes"]["wire"], datagrams["bytes"]["payload"]);
}

TEST_F(AgentScript, that_freezes_is_not_waited_for_for_ever_when_all_others_have_ended) {
  const TemporaryFolder pids_folder;
  Command job(lbsp_run(over_hosts(folder_, "a address=127.0.0.1\nb address=127.0.0.1\n", script_,
                                  {"--peer-timeout", "1s", "--wan", "rtt=50ms", "--", built("job_probe"),
                                   "steps", "80", pids_folder.path()})));
  ASSERT_EQ(wait_for_pids(pids_folder, 2).size(), 2U);
  ASSERT_EQ(::kill(process_id_in(folder_.path() / "agent-b"), SIGSTOP), 0);
  const auto outcome = job.wait(30s);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: host b: nothing was heard of it for 5s, and all others have"));
}

TEST_F(AgentScript, uses_no_more_hosts_than_it_needs) {
  const auto outcome = run_probe({"-n", "2", "--", built("job_probe"), "steps", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_FALSE(fs::exists(folder_.path() / "agent-b"));
}

TEST_F(AgentScript, takes_only_the_hosts_that_it_is_told_and_shares_the_ranks_out_evenly) {
  const auto hosts_of = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--json", "-", "--", built("job_probe"), "steps", "2"});
    const auto outcome = run_probe(options);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    std::string hosts;
    const auto report = nlohmann::json::parse(outcome.output, nullptr, false);
    for (const auto& rank : report["per_rank"])
      hosts += rank["host"].get<std::string>();
    return hosts;
  };
  EXPECT_EQ(hosts_of({"--only", "c,a"}), "aacc");
  EXPECT_EQ(hosts_of({"--only", "c,a", "-n", "2"}), "ac");
  EXPECT_EQ(hosts_of({"--only", "a,b", "-n", "3"}), "aab");
  EXPECT_EQ(hosts_of({"--only", "c"}), "cc");
  EXPECT_EQ(hosts_of({"--only", "C."}), "cc");
  const auto unknown = run_probe({"--only", "a,d", "--", built("job_probe"), "steps", "2"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.errors, AllOf(StartsWith("lbsp: --only d: "), HasSubstr("has no such host: ")));
  EXPECT_EQ(std::ranges::count(unknown.errors, '\n'), 1);
  const auto many = run_probe({"--only", "a,b", "-n", "4", "--", built("job_probe"), "steps", "2"});
  EXPECT_THAT(many.errors, HasSubstr("4 ranks need 4 slots"));
}

TEST_F(AgentScript, forwards_lines_input_and_the_working_directory) {
  const auto lines = run_probe({"--tag-output", "--", built("job_probe"), "lines", "100"});
  ASSERT_EQ(lines.code, 0) << lines.errors;
  EXPECT_EQ(std::ranges::count(lines.output, '\n'), 500);
  EXPECT_THAT(lines.output, HasSubstr("[4] rank 4 line 99 "));

  std::string input;
  for (int i = 0; i < 100'000; ++i)
    input += "0123456789\n";
  const auto read = run_probe({"--", built("job_probe"), "input"}, {.input = input});
  EXPECT_THAT(read.output, HasSubstr("rank 0 read 1100000 bytes"));

  const auto directory =
      run_probe({"-n", "1", "--", built("job_probe"), "directory"}, {.directory = folder_.path()});
  EXPECT_EQ(directory.output, fs::canonical(folder_.path()).string() + "\n");
}

TEST_F(AgentScript, carries_output_that_is_read_slowly) {
  auto words =
      lbsp_run(over_hosts(folder_, hosts_, script_, {"--", built("job_probe"), "long-line", "4000000"}));
  std::vector<std::string> shell = {"sh", "-c", "\"$@\" 2>/dev/null | (sleep 1; tr -d '\\n' | wc -c)", "sh"};
  shell.insert(shell.end(), words.begin(), words.end());
  EXPECT_THAT(Command(shell).wait().output, StartsWith("20000000"));
}

TEST_F(AgentScript, names_the_host_of_a_rank_that_failed) {
  const auto outcome = run_probe({"--", built("job_probe"), "throw", "4", "moon"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(reason_in(outcome), "lbsp: rank 4 on c: the moon is wrong: give another\n");
}

TEST_F(AgentScript, says_on_which_host_a_program_is_not_there) {
  const auto outcome = run_probe({"--", "/no/such/program"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, AllOf(StartsWith("lbsp: host "),
                                    HasSubstr(": cannot run /no/such/program: there is no such file")));
}

TEST_F(AgentScript, leaves_no_process_when_launcher_or_agent_is_killed) {
  for (const bool kill_agent : {false, true}) {
    const TemporaryFolder pids_folder;
    Command command(lbsp_run(
        over_hosts(folder_, hosts_, script_, {"--", built("job_probe"), "deaf-pids", pids_folder.path()})));
    auto pids = wait_for_pids(pids_folder, 5);
    ASSERT_EQ(pids.size(), 5U);
    for (const char* host : {"a", "b", "me@c"})
      pids.push_back(process_id_in(folder_.path() / fmt::format("agent-{}", host)));
    if (kill_agent) {
      ::kill(pids[6], SIGKILL);
      const auto outcome = command.wait();
      EXPECT_EQ(outcome.code, 1);
      EXPECT_THAT(reason_in(outcome), StartsWith("lbsp: host b: the connection to it was lost"));
      EXPECT_THAT(reason_in(outcome),
                  HasSubstr("see whether it is up, and what ended lbsp or the connection there"));
    } else {
      command.signal(SIGKILL);
      command.wait();
    }
    for (const int pid : pids)
      EXPECT_TRUE(disappears(pid)) << kill_agent;
  }
}

TEST_F(AgentScript, passes_an_interrupt_on) {
  const TemporaryFolder pids_folder;
  Command command(
      lbsp_run(over_hosts(folder_, hosts_, script_, {"--", built("job_probe"), "pids", pids_folder.path()})));
  const auto pids = wait_for_pids(pids_folder, 5);
  command.signal(SIGINT);
  EXPECT_EQ(command.wait().code, 128 + SIGINT);
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST(LaunchAgent, that_is_not_there_is_named) {
  const TemporaryFolder folder;
  const auto outcome = run(over_hosts(folder, "a address=127.0.0.1\n", "/no/such/agent",
                                      {"--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(
      outcome.errors,
      "lbsp: host a: cannot start /no/such/agent: No such file or directory: see that it is a program of this machine\n");
}

/// As an ssh does it: joins the words for a shell of the host.
TEST(LaunchAgent, gets_a_path_that_a_shell_reads_as_one_word) {
  const TemporaryFolder folder;
  const std::string odd = (folder.path() / "an odd; folder $(touch x)").string();
  fs::create_directory(odd);
  fs::create_symlink(built("lbsp"), odd + "/lbsp");
  const auto script = agent_script(folder, "exec sh -c \"$*\"");
  const auto outcome =
      run(over_hosts(folder, "a address=127.0.0.1\n", script,
                     {"--remote-lbsp", odd + "/lbsp", "--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
}

TEST(LaunchAgent, of_ssh_gets_the_host_behind_the_end_of_options) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "echo \"got $host $*\" >&2; exit 1");
  const std::string ssh = (folder.path() / "ssh").string();
  fs::copy_file(script, ssh);
  const auto rest =
      std::vector<std::string>{"--remote-lbsp", "/there/lbsp", "--", built("job_probe"), "steps", "1"};
  const auto given = run(over_hosts(folder, "a address=127.0.0.1\n", ssh, rest));
  EXPECT_THAT(given.errors, HasSubstr("got -- a /there/lbsp agent: "));

  std::vector<std::string> usual = {"--hosts", folder.write("hosts", "a user=ada address=127.0.0.1\n")};
  usual.insert(usual.end(), rest.begin(), rest.end());
  const char* path = std::getenv("PATH");
  const auto default_ssh =
      run(usual, {.environment = {{"PATH", fmt::format("{}:{}", folder.path().string(), path)}}});
  EXPECT_THAT(default_ssh.errors, HasSubstr(" -- ada@a /there/lbsp agent: "));
}

}  // namespace
}  // namespace lbsp::test
