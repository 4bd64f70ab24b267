// Ranks on other hosts, as far as one machine can have them: behind an ssh daemon of the test's own, and in
// network namespaces of the test's own.
#include <algorithm>
#include <chrono>
#include <csignal>
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
#include <vector>

#include "tests/tools/launch/agent_script.hpp"

namespace lbsp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

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
    EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), length), 0);
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
