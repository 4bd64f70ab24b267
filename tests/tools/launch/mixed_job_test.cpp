// A job whose ranks use their hosts' memory and send datagrams to the other host.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/tools/launch/agent_script.hpp"
#include "tests/tools/marked_processes.hpp"

namespace lbsp::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

bool holds_job_memory(int pid) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd", ignored)) {
    if (fs::read_symlink(entry, ignored).string().starts_with("/memfd:lbsp")) return true;
  }
  return false;
}

class MixedJob : public testing::Test {
 protected:
  /// Two ranks on each of two hosts, which put and get for ever.
  std::vector<std::string> words() const {
    return lbsp_run(over_hosts(folder_, "a slots=2 address=127.0.0.1\nb slots=2 address=127.0.0.1\n", script_,
                               {"--", built("job_probe"), "transfers", "1000000000", "50000", pids_.path()}));
  }
  CommandSettings settings() const {
    return {.environment = {{mark_variable, mark_}, {"TMPDIR", files_.path()}}};
  }

  const TemporaryFolder folder_;
  const TemporaryFolder pids_;
  const TemporaryFolder files_;
  const std::string script_ = agent_script(folder_, "exec \"$@\"");
  const std::string mark_ = folder_.path().string();
};

TEST_F(MixedJob, leaves_nothing_when_launcher_and_all_ranks_are_killed) {
  for (const auto after : {0ms, 50ms, 200ms}) {
    Command command(words(), settings());
    const auto ranks = wait_for_pids(pids_, 4);
    ASSERT_THAT(ranks, SizeIs(4));
    for (const int rank : ranks)
      EXPECT_TRUE(holds_job_memory(rank));
    std::this_thread::sleep_for(after);
    command.signal(SIGKILL);
    for (const int rank : ranks)
      ::kill(rank, SIGKILL);
    command.wait();
    // The job's memory has no name: it is gone when nobody holds it.
    EXPECT_TRUE(wait_until([&] { return processes_marked(mark_).empty(); }, 20s));
    EXPECT_THAT(processes_marked(mark_), IsEmpty());
    EXPECT_TRUE(fs::is_empty(files_.path()));
    for (const auto& entry : fs::directory_iterator("/dev/shm"))
      EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("lbsp")));
    for (int rank = 0; rank < 4; ++rank)
      fs::remove(pids_.path() / std::to_string(rank));
  }
}

TEST_F(MixedJob, ends_when_a_rank_is_killed_that_others_copy_from) {
  Command command(words(), settings());
  const auto ranks = wait_for_pids(pids_, 4);
  ASSERT_THAT(ranks, SizeIs(4));
  ::kill(ranks[2], SIGKILL);
  const auto outcome = command.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome), HasSubstr("rank 2"));
  EXPECT_TRUE(wait_until([&] { return processes_marked(mark_).empty(); }, 20s));
  EXPECT_TRUE(fs::is_empty(files_.path()));
}

/// Which would need an ssh daemon here.
TEST(HostsOfAJob, of_this_machine_need_no_ssh_however_its_name_is_written) {
  for (const char* name : {"localhost", "LOCALHOST", "localhost.", "LocalHost."}) {
    const TemporaryFolder folder;
    const std::string hosts = folder.write("hosts", std::string(name) + " slots=2\n");
    const auto outcome = run({"--hosts", hosts, "--", built("job_probe"), "steps", "1"},
                             {.environment = {{"PATH", folder.path().string()}}});
    EXPECT_EQ(outcome.code, 0) << name << ": " << outcome.errors;
  }
}

}  // namespace
}  // namespace lbsp::test
