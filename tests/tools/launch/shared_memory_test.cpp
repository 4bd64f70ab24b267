#include <chrono>
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;

nlohmann::json report_of(std::vector<std::string> options, const std::vector<std::string>& program) {
  options.insert(options.end(), {"--json", "-", "--"});
  options.insert(options.end(), program.begin(), program.end());
  const auto outcome = run(options);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  return nlohmann::json::parse(outcome.output);
}

TEST(SharedMemory, carries_the_messages_of_ranks_on_one_host_without_a_datagram) {
  for (const auto& program :
       std::vector<std::vector<std::string>>{{"matmul", "--size", "96", "--verify"},
                                             {"bitonic_sort", "--size", "100000", "--verify"},
                                             {"fft2d", "--size", "128", "--verify"},
                                             {"jacobi", "--size", "60", "--verify"}}) {
    const auto report = report_of({"-n", "4"}, program);
    EXPECT_EQ(report["backend"], "shared-memory");
    EXPECT_EQ(report["verified"], true);
    EXPECT_GT(report["bytes"]["payload"], 10'000);
    EXPECT_EQ(report["bytes"]["wire"], 0);
    EXPECT_EQ(report["packets"]["sent"], 0);
    EXPECT_EQ(report["network"]["loss_sample"], 0);
    EXPECT_EQ(report["copies"]["policy"], "none");
    EXPECT_EQ(report["prediction"], nullptr);
  }
}

TEST(SharedMemory, carries_long_puts_without_buffers_and_long_gets) {
  for (const std::string ranks : {"2", "3"}) {
    const auto report = report_of({"-n", ranks}, {built("job_probe"), "transfers", "20", "50000"});
    EXPECT_EQ(report["verified"], true);
    EXPECT_GE(report["bytes"]["payload"], 20 * std::stoll(ranks) * 2 * 200'000);
  }
}

/// Over datagrams so many would find each other silent, or send each message hundreds of times.
TEST(SharedMemory, carries_the_messages_of_hundreds_of_ranks) {
  if (sanitized) GTEST_SKIP() << "so many sanitized processes take too long";
  const auto report = report_of({"-n", "300"}, {built("job_probe"), "steps", "3"});
  EXPECT_EQ(report["backend"], "shared-memory");
  EXPECT_EQ(report["bytes"]["wire"], 0);
}

TEST(SharedMemory, is_done_without_where_files_may_not_be_so_long) {
  const auto outcome = Command({"sh", "-c", "ulimit -f 1000; exec \"$@\"", "sh", built("lbsp"), "run", "-n",
                                "2", "--", built("job_probe"), "steps", "3"})
                           .wait();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("on 2 ranks over udp"));
}

TEST(SharedMemory, leaves_programs_the_signal_of_files_that_are_too_long) {
  const auto outcome = run({"--", "sh", "-c", "kill -XFSZ $$"});
  EXPECT_THAT(reason_in(outcome), HasSubstr("was killed by SIGXFSZ"));
}

TEST(SharedMemory, ranks_that_copy_from_one_that_is_killed_end) {
  const TemporaryFolder folder;
  Command command(
      lbsp_run({"-n", "3", "--", built("job_probe"), "transfers", "1000000000", "50000", folder.path()}));
  const auto pids = wait_for_pids(folder, 3);
  ASSERT_EQ(pids.size(), 3U);
  ::kill(pids[1], SIGKILL);
  const auto outcome = command.wait();
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(reason_in(outcome), HasSubstr("rank 1"));
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST(SharedMemory, is_not_used_where_the_user_asks_for_datagrams) {
  for (const auto& option : std::vector<std::vector<std::string>>{{"--wan", "loss=5%,rtt=2ms"},
                                                                  {"--backend", "udp"},
                                                                  {"--shared-memory", "off"},
                                                                  {"--rate", "1Gbit"},
                                                                  {"--copies", "2"},
                                                                  {"--redundancy", "none"},
                                                                  {"--datagram", "1200"},
                                                                  {"--recovery", "rounds"}}) {
    std::vector<std::string> options = {"-n", "2"};
    options.insert(options.end(), option.begin(), option.end());
    const auto report = report_of(options, {built("job_probe"), "steps", "5"});
    EXPECT_EQ(report["backend"], "udp") << option[0];
    EXPECT_GT(report["packets"]["sent"], 0) << option[0];
  }
}

TEST(SharedMemory, is_used_all_the_same_if_the_user_insists) {
  const auto report =
      report_of({"-n", "2", "--copies", "2", "--shared-memory", "on"}, {built("job_probe"), "steps", "5"});
  EXPECT_EQ(report["backend"], "shared-memory");
}

TEST(SharedMemory, is_refused_with_what_it_cannot_do) {
  EXPECT_THAT(run({"--shared-memory", "maybe", "--", "fft2d"}).errors,
              StartsWith("lbsp: --shared-memory maybe: use auto, on or off"));
  EXPECT_THAT(run({"--shared-memory", "on", "--wan", "loss=1%", "--", "fft2d"}).errors,
              StartsWith("lbsp: --shared-memory on with --wan: "));
  EXPECT_THAT(run({"--shared-memory", "on", "--backend", "threads", "--", "fft2d"}).errors,
              StartsWith("lbsp: --shared-memory on with --backend threads: "));
}

TEST(SharedMemory, gives_way_to_datagrams_where_the_address_space_is_too_small_for_it) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs more address space than that";
  Command command({"sh", "-c", "ulimit -v 4000000; exec \"$@\"", "sh", built("lbsp"), "run", "-n", "2", "--",
                   built("job_probe"), "steps", "5"});
  const auto outcome = command.wait();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("on 2 ranks over udp"));
}

/// Whether one of these processes has the memory open or mapped.
bool is_held(const std::vector<int>& pids) {
  for (const int pid : pids) {
    std::error_code ignored;
    const std::filesystem::path place = "/proc/" + std::to_string(pid) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator(place, ignored)) {
      if (std::filesystem::read_symlink(entry, ignored).string().starts_with("/memfd:lbsp")) return true;
    }
  }
  return false;
}

TEST(SharedMemory, has_no_name_and_goes_with_the_last_process) {
  const TemporaryFolder folder;
  Command command(lbsp_run({"-n", "3", "--", built("job_probe"), "pids", folder.path()}));
  const auto pids = wait_for_pids(folder, 3);
  ASSERT_EQ(pids.size(), 3U);
  EXPECT_TRUE(is_held({pids[0]}));
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("lbsp")));
  for (const int pid : pids)
    ::kill(pid, SIGKILL);
  command.signal(SIGKILL);
  command.wait();
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST(SharedMemory, ranks_give_up_one_that_is_stopped) {
  const TemporaryFolder folder;
  Command command(
      lbsp_run({"-n", "3", "--peer-timeout", "500ms", "--", built("job_probe"), "pids", folder.path()}));
  const auto pids = wait_for_pids(folder, 3);
  ASSERT_EQ(pids.size(), 3U);
  ::kill(pids[1], SIGSTOP);
  const auto outcome = command.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome),
              AllOf(StartsWith("lbsp: rank "), HasSubstr("rank 1 on localhost was last heard ")));
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST(SharedMemory, a_ceiling_that_no_superstep_keeps_is_named) {
  for (const char* const backend : {"udp", "threads"}) {
    const auto outcome =
        run({"-n", "2", "--backend", backend, "--max-message", "10", "--", built("job_probe"), "steps", "1"});
    EXPECT_EQ(outcome.code, 1) << backend;
    EXPECT_THAT(reason_in(outcome), HasSubstr("the ceiling is 10: ")) << backend;
  }
}

}  // namespace
}  // namespace lbsp::test
