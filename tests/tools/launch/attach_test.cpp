#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/mount.h>
#include <thread>
#include <unistd.h>

#include "tests/tools/command.hpp"
#include "tests/tools/launch/kept_socket.hpp"
#include "tests/tools/launch/lasting_run.hpp"
#include "tests/tools/launch/terminal_command.hpp"
#include "tools/launch/doors/kept_files.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;
using namespace std::chrono_literals;

Outcome attach(const std::string& job) {
  return Command({built("lbsp"), "attach", job}).wait();
}

void await_kept(int job) {
  EXPECT_TRUE(wait_until([&] { return has_kept_socket(job); }, 10s));
}

/// Its `lbsp run` is killed, and the job is kept.
std::string kill_front(LastingRun& job) {
  const int number = job.number();
  job.signal_front(SIGKILL);
  await_kept(number);
  return std::to_string(number);
}

/// Until it has the job's files for itself, a signal ends it alone.
void await_showing(const Command& attached) {
  EXPECT_TRUE(wait_until(
      [&] {
        std::ifstream locks("/proc/locks");
        const std::string text{std::istreambuf_iterator<char>(locks), {}};
        return text.find(fmt::format(" {} ", attached.pid())) != std::string::npos;
      },
      20s));
}

TEST(Attach, shows_the_end_of_a_job_whose_lbsp_run_was_killed) {
  LastingRun job(4, {}, 2000);
  const std::string number = kill_front(job);
  expect_survivors(attach(number), "", 4, 2000);
  EXPECT_EQ(job.report()["finished"], true);
  job.expect_nothing_left();
}

TEST(Attach, shows_what_was_kept_of_a_job_that_has_ended) {
  LastingRun job(3, {}, 1500);
  const std::string number = kill_front(job);
  job.expect_nothing_left();
  const std::string code = launch::doors::KeptFiles(std::stoi(number)).code;
  EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(code); }, 10s));
  const Outcome outcome = attach(number);
  expect_survivors(outcome, "", 3, 1500);
  EXPECT_THAT(outcome.errors, HasSubstr("supersteps"));
  EXPECT_FALSE(std::filesystem::exists(launch::doors::KeptFiles(std::stoi(number)).folder));
}

TEST(Attach, replaces_a_rank_that_is_lost_after_lbsp_run) {
  LastingRun job(3, {}, 1000, 10, "respawn");
  const std::string number = kill_front(job);
  job.signal(1, SIGKILL);
  expect_survivors(attach(number), " 0 1 2", 3, 1000, 10);
  EXPECT_EQ(job.report()["lost"].size(), 1U);
  job.expect_nothing_left();
}

/// By a signal, with an error that has this in it, and nothing of the job is left.
void expect_ended(const Outcome& outcome, int signal, const std::string& error, const LastingRun& job) {
  EXPECT_EQ(outcome.code, 128 + signal);
  EXPECT_THAT(outcome.errors, HasSubstr(error));
  job.expect_nothing_left();
}

TEST(Attach, ends_the_job_when_it_is_interrupted) {
  LastingRun job(2, {}, 1000000);
  Command attached({built("lbsp"), "attach", kill_front(job)});
  await_showing(attached);
  attached.signal(SIGINT);
  expect_ended(attached.wait(), SIGINT, "lbsp: ended by SIGINT, and the job with it\n", job);
}

TEST(Attach, is_refused_while_another_one_shows_the_job) {
  LastingRun job(2, {}, 1000000);
  const std::string number = kill_front(job);
  Command attached({built("lbsp"), "attach", number});
  await_showing(attached);
  const Outcome second = attach(number);
  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(
      second.errors,
      fmt::format(
          "lbsp: another lbsp attach shows this job, process {0}: end that one first, by kill -KILL {0}, "
          "as other signals end the job\n",
          attached.pid()));
  attached.signal(SIGINT);
  expect_ended(attached.wait(), SIGINT, "lbsp: ended by SIGINT, and the job with it\n", job);
}

TEST(Attach, goes_on_after_what_one_that_was_killed_has_shown) {
  LastingRun job(3, {}, 2000);
  const std::string number = kill_front(job);
  job.signal(1, SIGKILL);
  const TemporaryFolder folder;
  Command first(
      {"sh", "-c",
       fmt::format("exec {} attach {} 2>{}", built("lbsp"), number, (folder.path() / "errors").string())});
  EXPECT_TRUE(wait_until([&] { return folder.read("errors").find("rank 1 ") != std::string::npos; }, 20s));
  std::this_thread::sleep_for(300ms);  // what it has shown goes out of the file
  first.signal(SIGKILL);
  first.wait();
  const Outcome second = attach(number);
  expect_survivors(second, " 0 2", 2, 2000);
  EXPECT_THAT(second.errors, StartsWith("lbsp: "));
  EXPECT_THAT(second.errors, Not(HasSubstr("was killed by SIGKILL"))) << "shown twice";
}

TEST(Attach, has_the_exit_code_of_a_job_that_fails) {
  LastingRun job(2, {}, 1000000);
  const std::string number = kill_front(job);
  job.signal(0, SIGKILL);
  const Outcome outcome = attach(number);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("\nlbsp: "));
  job.expect_nothing_left();
}

TEST(Attach, tells_that_there_is_no_such_job) {
  EXPECT_THAT(attach("1").errors,
              StartsWith("lbsp: no job 1 of yours has lost its lbsp run on this machine: "));
  EXPECT_THAT(attach("x").errors, StartsWith("lbsp: x is no job: "));
}

TEST(Attach, tells_that_the_process_that_keeps_the_job_does_not_answer) {
  LastingRun job(2, {}, 1000000);
  const int keeper = child_of(job.number(), "lbsp");
  const std::string number = kill_front(job);
  ::kill(keeper, SIGSTOP);
  const Outcome outcome = attach(number);
  ::kill(keeper, SIGKILL);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.errors, "lbsp: the process that keeps job " + number +
                                " has not answered within 5 s: see whether it is stopped\n");
  job.expect_nothing_left();
}

/// Its keeper makes its files at this moment.
TEST(Attach, leaves_a_job_alone_that_is_not_kept_yet) {
  const TemporaryFolder folder;
  const CommandSettings settings{.environment = {{"TMPDIR", folder.path()}}};
  const std::filesystem::path jobs = folder.path() / ("lbsp-" + std::to_string(::geteuid()));
  std::filesystem::create_directory(jobs);
  std::filesystem::permissions(jobs, std::filesystem::perms::owner_all);
  std::filesystem::create_directory(jobs / "4711");
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"4711"}}) {
    std::vector<std::string> command{built("lbsp"), "attach"};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome outcome = Command(command, settings).wait();
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, StartsWith("lbsp: no job"));
    EXPECT_TRUE(std::filesystem::exists(jobs / "4711"));
  }
}

TEST(Front, passes_a_signal_on) {
  LastingRun job(2, {}, 1000000);
  job.signal_front(SIGTERM);
  expect_ended(job.wait(), SIGTERM, "lbsp: ended by SIGTERM, and the job with it\n", job);
}

TEST(Front, tells_that_the_keeper_was_killed) {
  LastingRun job(2, {}, 1000000);
  ::kill(child_of(job.number(), "lbsp"), SIGKILL);
  expect_ended(job.wait(), SIGKILL, "lbsp: the launcher was killed by SIGKILL, and the job with it: ", job);
}

TEST(Front, is_refused_where_no_job_could_be_kept) {
  const Outcome outcome = run({"-n", "2", "--on-failure", "shrink", "--", built("job_probe"), "steps", "1"},
                              {.environment = {{"TMPDIR", "/nosuch"}}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: cannot make /nosuch/lbsp-"));
  EXPECT_THAT(outcome.errors, EndsWith(": No such file or directory: set TMPDIR\n"));
}

TEST(Front, may_die_as_the_leader_of_a_terminals_session) {
  const TemporaryFolder pids;
  auto words = lbsp_run({"-n", "3", "--on-failure", "shrink", "--peer-timeout", "2s", "--"});
  std::ranges::move(survival_probe(500, 0, pids), std::back_inserter(words));
  TerminalCommand command(words);
  ASSERT_EQ(wait_for_pids(pids, 3).size(), 3U);
  ::kill(command.pid(), SIGKILL);
  await_kept(command.pid());
  expect_survivors(attach(std::to_string(command.pid())), "", 3, 500);
}

/// A file system of 64 KiB; only root has one.
class SmallDisk {
 public:
  SmallDisk() : mounted_(::mount("none", folder_.path().c_str(), "tmpfs", 0, "size=64k") == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }

  bool is_there() const { return mounted_; }
  CommandSettings settings() const { return {.environment = {{"TMPDIR", folder_.path()}}}; }
  std::filesystem::path folder_of(int job) const {
    return folder_.path() / ("lbsp-" + std::to_string(::geteuid())) / std::to_string(job);
  }
  void fill() const {
    std::ofstream file(folder_.path() / "filler");
    for (int i = 0; i < 64; ++i)
      file << std::string(1024, 'x') << std::flush;
  }

 private:
  TemporaryFolder folder_;
  bool mounted_;
};

TEST(Front, is_refused_where_there_is_no_room_for_the_end_of_a_job) {
  const SmallDisk disk;
  if (!disk.is_there()) GTEST_SKIP() << "needs to be root";
  disk.fill();
  const Outcome outcome =
      run({"-n", "2", "--on-failure", "shrink", "--", built("job_probe"), "steps", "1"}, disk.settings());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: cannot "));
  EXPECT_THAT(outcome.errors, EndsWith(": make room there, or set TMPDIR\n"));
  EXPECT_EQ(lines_of(outcome.errors).size(), 1U) << outcome.errors;
}

/// There is room in it.
TEST(Front, is_refused_where_files_cannot_be_made) {
  const Outcome outcome = run({"-n", "2", "--on-failure", "shrink", "--", built("job_probe"), "steps", "1"},
                              {.environment = {{"TMPDIR", "/proc"}}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: cannot "));
  EXPECT_THAT(outcome.errors, EndsWith(": set TMPDIR to a folder where files can be made\n"));
}

TEST(Front, says_why_there_is_no_process_behind_it) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs to be root, to be somebody else who may have no process";
  const Outcome outcome =
      Command({"setpriv", "--reuid", "54321", "--clear-groups", "prlimit", "--nproc=1:1", built("lbsp"),
               "run", "-n", "2", "--on-failure", "shrink", "--", built("job_probe"), "steps", "1"})
          .wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: cannot start the process that leads the job: "));
  EXPECT_THAT(outcome.errors, EndsWith("(ulimit -u, -v)\n"));
}

TEST(Attach, says_what_a_full_disk_has_not_taken) {
  const SmallDisk disk;
  if (!disk.is_there()) GTEST_SKIP() << "needs to be root";
  const TemporaryFolder pids;
  std::vector<std::string> words{"-n", "3", "--on-failure", "respawn", "--peer-timeout", "2s", "--"};
  std::ranges::move(survival_probe(1000, 0, pids), std::back_inserter(words));
  Command job(lbsp_run(words), disk.settings());
  ASSERT_EQ(wait_for_pids(pids, 3).size(), 3U);
  disk.fill();
  job.signal(SIGKILL);
  const std::filesystem::path folder = disk.folder_of(job.pid());
  await_kept(job.pid());
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(folder / "code"); }, 30s));
  const Outcome outcome =
      Command({built("lbsp"), "attach", std::to_string(job.pid())}, disk.settings()).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.errors,
              ContainsRegex("^lbsp: [1-9][0-9]* bytes that the job wrote are lost, as the disk of "));
}

}  // namespace
}  // namespace lbsp::test
