// Ranks on other hosts, as far as one machine can have them: an agent behind a script, behind an ssh daemon
// of the test's own, and in network namespaces of the test's own.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

/// A launch agent: a script that gets HOST LBSP agent, and runs the latter two here.
std::string agent_script(const TemporaryFolder& folder, const std::string& text) {
  const std::string script = folder.write("agent.sh", "#!/bin/sh\nhost=$1\nshift\n" + text + "\n");
  ::chmod(script.c_str(), 0700);
  return script;
}

int process_id_in(const std::string& file) {
  std::ifstream in(file);
  int pid = 0;
  in >> pid;
  return pid;
}

std::vector<std::string> over_hosts(const TemporaryFolder& folder, const std::string& hosts,
                                    const std::string& agent, std::vector<std::string> rest) {
  std::vector<std::string> words = {"--hosts", folder.write("hosts", hosts), "--launch-agent", agent};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

/// Three hosts that are all this one; each agent's process id is in a file of the host's name.
class AgentScript : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string script_ =
      agent_script(folder_, "echo $$ > " + folder_.path().string() + "/agent-$host\nexec \"$@\"");
  const std::string hosts_ =
      "a slots=2 address=127.0.0.1\nb address=127.0.0.1  # one slot\nc slots=2 user=me address=127.0.0.1\n";

  Outcome run_probe(std::vector<std::string> options, const CommandSettings& settings = {}) {
    return run(over_hosts(folder_, hosts_, script_, std::move(options)), settings);
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

TEST_F(AgentScript, uses_no_more_hosts_than_it_needs) {
  const auto outcome = run_probe({"-n", "2", "--", built("job_probe"), "steps", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_FALSE(fs::exists(folder_.path() / "agent-b"));
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
  EXPECT_EQ(outcome.errors, "lbsp: rank 4 on c: the moon is wrong: give another\n");
}

TEST_F(AgentScript, says_on_which_host_a_program_is_not_there) {
  const auto outcome = run_probe({"--", "/no/such/program"});
  EXPECT_EQ(outcome.code, 1);
  // Whichever of the hosts answers first.
  EXPECT_THAT(outcome.errors,
              MatchesRegex("lbsp: host [abc]: cannot run /no/such/program: there is no such file.*\n"));
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
      EXPECT_THAT(outcome.errors, StartsWith("lbsp: host b: the connection to it was lost"));
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

TEST(LaunchAgent, that_prints_a_greeting_first_is_found_out) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "echo Welcome to $host\nexec \"$@\"");
  const auto outcome =
      run(over_hosts(folder, "a address=127.0.0.1\n", script, {"--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, AllOf(StartsWith("lbsp: host a: it says \"Welcome to a\""), EndsWith("\n")));
}

TEST(LaunchAgent, that_fails_is_quoted) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "echo first >&2\necho no way to $host >&2\nexit 255");
  const auto outcome =
      run(over_hosts(folder, "a address=127.0.0.1\n", script, {"--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: host a: no way to a: check that"));
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1);
}

TEST(LaunchAgent, that_hangs_is_given_up) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "sleep 1000");
  const auto outcome = run(over_hosts(folder, "a address=127.0.0.1\n", script,
                                      {"--start-timeout", "300ms", "--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              StartsWith("lbsp: rank 0 on a never started: its host did not answer within 300ms"));
}

TEST(LaunchAgent, that_is_not_there_is_named) {
  const TemporaryFolder folder;
  const auto outcome = run(over_hosts(folder, "a address=127.0.0.1\n", "/no/such/agent",
                                      {"--", built("job_probe"), "steps", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("cannot start /no/such/agent: No such file or directory"));
}

/// Runs a shell script; whether it succeeded. What it says is dropped.
bool shell(const std::string& script) {
  return Command({"sh", "-ec", script}).wait().code == 0;
}

/// An ssh daemon of the test's own on a port of its own, with keys of its own for host and user.
class OwnSshd {
 public:
  explicit OwnSshd(const TemporaryFolder& folder) : folder_(folder.path()) {
    const std::string setup = fmt::format(
        "cd {0}; for k in host user; do ssh-keygen -q -t ed25519 -N '' -f $k; done; cp user.pub authorized;"
        "printf '[127.0.0.1]:{1} %s\\n[localhost]:{1} %s\\n' \"$(cat host.pub)\" \"$(cat host.pub)\" > known",
        folder_, port_);
    // As root the daemon wants this folder, which the system's own service makes when it starts.
    if (::geteuid() == 0) made_run_folder_ = ::mkdir("/run/sshd", 0755) == 0;
    if (!shell("command -v ssh && test -x /usr/sbin/sshd") || !shell(setup)) return;
    const std::string config = folder.write(
        "config",
        fmt::format("Port {1}\nListenAddress 127.0.0.1\nHostKey {0}/host\nAuthorizedKeysFile {0}/authorized\n"
                    "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
                    "PidFile none\nMaxStartups 100\n",
                    folder_, port_));
    daemon_.emplace(std::vector<std::string>{"/usr/sbin/sshd", "-D", "-e", "-f", config});
    for (int tries = 0; tries < 100 && !ready_; ++tries) {
      ready_ = shell(command() + " 127.0.0.1 true");
      if (!ready_) std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
  }
  OwnSshd(const OwnSshd&) = delete;
  OwnSshd& operator=(const OwnSshd&) = delete;
  ~OwnSshd() {
    if (made_run_folder_) ::rmdir("/run/sshd");
  }

  bool ready() const { return ready_; }
  std::string command() const {
    return fmt::format("ssh -p {1} -i {0}/user -F none -o BatchMode=yes -o UserKnownHostsFile={0}/known",
                       folder_, port_);
  }

 private:
  static int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ::bind(socket, reinterpret_cast<sockaddr*>(&address), length);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    ::close(socket);
    return ntohs(address.sin_port);
  }

  std::string folder_;
  int port_ = free_port();
  bool made_run_folder_ = false;
  bool ready_ = false;
  std::optional<Command> daemon_;
};

TEST(Ssh, runs_ranks_on_hosts_and_leaves_none_when_the_launcher_is_killed) {
  const TemporaryFolder folder;
  const OwnSshd sshd(folder);
  if (!sshd.ready()) GTEST_SKIP() << "no sshd, or it does not let this user in";
  const std::string hosts = "127.0.0.1 slots=2\nlocalhost slots=2\n";

  const auto outcome =
      run(over_hosts(folder, hosts, sshd.command(),
                     {"--wan", "loss=10%,rtt=5ms", "--", "matmul", "--size", "128", "--verify"}));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("verified"));

  const TemporaryFolder pids_folder;
  Command command(lbsp_run(over_hosts(folder, hosts, sshd.command(),
                                      {"--", built("job_probe"), "deaf-pids", pids_folder.path()})));
  const auto pids = wait_for_pids(pids_folder, 4);
  ASSERT_EQ(pids.size(), 4U);
  command.signal(SIGKILL);
  command.wait();
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST(Ssh, that_cannot_connect_is_one_line) {
  const TemporaryFolder folder;
  const auto outcome = run(over_hosts(folder, "127.0.0.1\n", "ssh -F none -o BatchMode=yes -p 1",
                                      {"--", built("job_probe"), "steps", "1"}));
  if (!shell("command -v ssh")) GTEST_SKIP() << "no ssh";
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              AllOf(StartsWith("lbsp: host 127.0.0.1: ssh: connect to host 127.0.0.1 port 1: "),
                    HasSubstr("Connection refused")));
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1);
}

/// Two network namespaces with a cable between them.
class Namespaces {
 public:
  Namespaces() {
    made_ = shell(fmt::format(
        "ip netns add {0}-a; ip netns add {0}-b;"
        "ip link add {1}a netns {0}-a type veth peer name {1}b netns {0}-b;"
        "ip -n {0}-a addr add 10.213.77.1/24 dev {1}a; ip -n {0}-b addr add 10.213.77.2/24 dev {1}b;"
        "ip -n {0}-a link set lo up; ip -n {0}-b link set lo up;"
        "ip -n {0}-a link set {1}a up; ip -n {0}-b link set {1}b up",
        prefix_, link_));
  }
  Namespaces(const Namespaces&) = delete;
  Namespaces& operator=(const Namespaces&) = delete;
  ~Namespaces() { shell(fmt::format("ip netns del {0}-a; ip netns del {0}-b", prefix_)); }

  bool made() const { return made_; }
  const std::string& prefix() const { return prefix_; }

 private:
  std::string prefix_ = fmt::format("lbsp{}", ::getpid());
  std::string link_ = fmt::format("lb{}", ::getpid());
  bool made_ = false;
};

TEST(NetworkNamespaces, are_hosts_that_a_launch_agent_reaches) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes network namespaces";
  const Namespaces namespaces;
  if (!namespaces.made()) GTEST_SKIP() << "this system makes no network namespaces";
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "exec ip netns exec " + namespaces.prefix() + "-$host \"$@\"");
  const auto outcome =
      run(over_hosts(folder, "a slots=2 address=10.213.77.1\nb slots=2 address=10.213.77.2\n", script,
                     {"--wan", "loss=5%", "--json", "-", "--", "matmul", "--size", "200", "--verify"}));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["verified"], true);
  EXPECT_GT(report["packets"]["sent"], 0);
}

}  // namespace
}  // namespace lbsp::test
