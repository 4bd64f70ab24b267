#include <chrono>
#include <csignal>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/tools/command.hpp"
#include "tests/tools/launch/running_job.hpp"

namespace lbsp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Sum over a trace's lines.
std::int64_t sum(const std::vector<std::string>& trace, const char* group, const char* key) {
  std::int64_t total = 0;
  for (const std::string& line : trace)
    total += nlohmann::json::parse(line)[group][key].get<std::int64_t>();
  return total;
}

TEST(LbspRun, traces_what_adds_up_to_the_report) {
  const TemporaryFolder folder;
  const std::string trace_file = folder.path() / "trace";
  const auto outcome = run(
      {"-n", "2", "--backend", "udp", "--trace", trace_file, "--json", "-", "--", "fft2d", "--size", "512"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  const auto trace = lines_of(folder.read("trace"));
  for (const char* key : {"payload", "wire"})
    EXPECT_EQ(sum(trace, "bytes", key), report["bytes"][key]) << key;
  for (const char* key : {"sent", "received", "retransmitted", "copies", "coded", "duplicate"})
    EXPECT_EQ(sum(trace, "packets", key), report["packets"][key]) << key;
  // Each rank sends the other a megabyte in the first superstep.
  std::vector<std::string> first;
  std::ranges::copy_if(trace, std::back_inserter(first),
                       [](const std::string& line) { return nlohmann::json::parse(line)["superstep"] == 0; });
  EXPECT_GT(sum(first, "bytes", "payload"), 2'000'000);
  EXPECT_GT(sum(first, "bytes", "wire"), 100'000);
}

TEST(LbspRun, tells_what_all_models_say_of_a_run_that_it_traces) {
  const TemporaryFolder folder;
  const std::string trace_file = folder.path() / "trace";
  const auto outcome = run({"-n", "4", "--wan", "rtt=5ms,rate=100Mbit", "--trace", trace_file, "--json", "-",
                            "--", "matmul", "--algorithm", "fox", "--size", "256"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  for (const char* const title : {"models", "lossy BSP", "critical path", "Fox's product", "queueing"})
    EXPECT_THAT(outcome.errors, HasSubstr(title));
  // The same as of the file later.
  const Outcome estimated = Command({built("lbsp"), "estimate", trace_file, "--json", "-"}).wait();
  const auto later = nlohmann::json::parse(estimated.output)["estimates"];
  const auto models = nlohmann::json::parse(outcome.output)["models"];
  ASSERT_EQ(models.size(), 4U);
  ASSERT_EQ(later.size(), 4U);
  for (std::size_t i = 0; i < models.size(); ++i)
    for (const char* const key : {"model", "seconds", "interval"})
      EXPECT_EQ(models[i][key], later[i][key]) << i << key;
}

TEST(LbspRun, traces_the_last_datagrams_and_counts_the_others) {
  const TemporaryFolder folder;
  const std::string trace_file = folder.path() / "trace";
  const auto outcome = run({"-n", "2", "--wan", "loss=10%,rtt=5ms", "--trace", trace_file, "--trace-packets",
                            "100", "--json", "-", "--", "fft2d", "--size", "512"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  int lines = 0;
  for (const std::string& text : lines_of(folder.read("trace"))) {
    const auto line = nlohmann::json::parse(text);
    if (line.contains("events")) {
      ++lines;
      EXPECT_EQ(line["events"].size(), 100U);
      const auto& traffic = report["per_rank"][line["rank"].get<std::size_t>()]["packets"];
      EXPECT_GE(line["dropped"].get<int>() + 100,
                traffic["sent"].get<int>() + traffic["received"].get<int>());
    } else if (line["superstep"].is_null()) {
      ASSERT_EQ(line["from"].size(), 1U) << "what came from the other rank";
      const auto& from = line["from"][0];
      EXPECT_EQ(from[0], 1 - line["rank"].get<int>());
      EXPECT_GT(from[2], 0);
      EXPECT_LT(from[2].get<double>(), 0.3 * from[1].get<double>());
    }
  }
  EXPECT_EQ(lines, 2);
}

TEST(LbspRun, traces_every_superstep_of_a_long_job_in_a_bounded_number_of_lines) {
  const TemporaryFolder folder;
  const std::string trace_file = folder.path() / "trace";
  // One rank: two would wait for a processor 100,001 times on a machine that is busy.
  const auto outcome = run({"-n", "1", "--backend", "threads", "--trace", trace_file, "--json", "-", "--",
                            built("job_probe"), "steps", "100001"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  std::uint64_t next = 0;
  std::size_t lines = 0;
  for (const std::string& text : lines_of(folder.read("trace"))) {
    const auto line = nlohmann::json::parse(text);
    ++lines;
    if (line["superstep"].is_null()) continue;
    EXPECT_EQ(line["superstep"], next);
    next += line["supersteps"].get<std::uint64_t>();
  }
  EXPECT_EQ(next, 100'001U);
  EXPECT_EQ(lines, 50'001U + 1);
  EXPECT_EQ(report["steps"].size(), 50'001U);
}

TEST(LbspRun, traces_possible_numbers_of_a_job_that_is_stopped) {
  const TemporaryFolder folder;
  const std::string trace_file = folder.path() / "trace";
  RunningJob job({"--wan", "rtt=5ms", "--trace", trace_file, "--trace-packets", "50"}, "pids", 2);
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  job.command().signal(SIGINT);
  const Outcome ran = job.command().wait();
  EXPECT_EQ(ran.code, 128 + SIGINT);
  const auto trace = lines_of(folder.read("trace"));
  ASSERT_GT(trace.size(), 4U) << ran.errors;
  for (const std::string& text : trace) {
    const auto line = nlohmann::json::parse(text);
    if (line.contains("events")) continue;
    EXPECT_LT(line["h"].get<double>(), 1e9) << text;
    for (const auto& [key, count] : line["packets"].items())
      EXPECT_LT(count.get<double>(), 1e9) << key << " of " << text;
  }
  EXPECT_EQ(Command({built("lbsp"), "estimate", trace_file}).wait().code, 0);
}

TEST(LbspRun, leaves_no_part_of_a_trace_on_a_full_disk_and_blames_no_rank) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts a small disk";
  const TemporaryFolder folder;
  const std::string disk = folder.path();
  if (Command({"mount", "-t", "tmpfs", "-o", "size=64k", "none", disk}).wait().code != 0)
    GTEST_SKIP() << "no tmpfs can be mounted";
  const auto outcome =
      run({"-n", "2", "--trace", disk + "/trace", "--", built("job_probe"), "steps", "2000"});
  const auto left = folder.read("trace");
  Command({"umount", disk}).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(left, "");
  EXPECT_THAT(outcome.errors,
              AllOf(HasSubstr("  supersteps  2000\n"),
                    HasSubstr("\nlbsp: cannot write " + disk + "/trace: No space left on device: "),
                    Not(HasSubstr("rank 1"))));
}

}  // namespace
}  // namespace lbsp::test
