#include "tests/tools/wan/bed_fixture.hpp"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

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

}  // namespace

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

void Bed::SetUp() {
  if (const char* missing = what_is_missing()) GTEST_SKIP() << missing;
}

void Bed::TearDown() {
  if (std::filesystem::exists(folder())) down();
}

Outcome Bed::up(Words options) {
  options.insert(options.begin(), {"up", "--name", name_});
  return wan(options);
}

Outcome Bed::change(Words words) const {
  words.insert(words.begin(), {"change", "--name", name_});
  return wan(words);
}

json Bed::bed() const {
  return json::parse(wan({"hosts", "--name", name_, "--json", "-"}).output);
}

json Bed::stats() const {
  return json::parse(wan({"stats", "--name", name_, "--over", "0", "--json", "-"}).output);
}

Words Bed::exec_words(const std::string& host, const Words& command) const {
  Words words = {built("lbsp"), "wan", "exec", "--name", name_, host, "--"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Outcome Bed::exec(const std::string& host, const Words& command) const {
  return Command(exec_words(host, command)).wait();
}

std::unique_ptr<Command> Bed::sleeper(const std::string& words, const std::string& first) const {
  const TemporaryFolder begun;
  auto command = std::make_unique<Command>(exec_words(
      "h0",
      {"sh", "-c",
       fmt::format("{2} echo $$ > {0}/new; mv {0}/new {0}/0; {1}", begun.path().string(), words, first)}));
  EXPECT_EQ(wait_for_pids(begun, 1).size(), 1U);
  return command;
}

Words Bed::run_words(const Words& arguments) const {
  const json where = bed();
  Words words = {"--hosts", where["hosts_file"], "--launch-agent", where["launch_agent"]};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return lbsp_run(words);
}

Words Bed::mpi_run_words(const Words& arguments) const {
  const json where = bed();
  Words words = {"--backend", "mpi", "--hosts", where["hosts_file"], "--launch-agent", where["launch_agent"]};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return exec_words("h0", lbsp_run(words));
}

}  // namespace lbsp::test
