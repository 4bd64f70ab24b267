#pragma once

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"
#include "tests/tools/launch/agent_script.hpp"

namespace lbsp::test {

inline std::vector<std::string> joining(int job, const std::vector<std::string>& host) {
  std::vector<std::string> words{built("lbsp"), "join", std::to_string(job)};
  words.insert(words.end(), host.begin(), host.end());
  return words;
}

inline Outcome join_job(int job, const std::vector<std::string>& host) {
  return Command(joining(job, host)).wait();
}

/// Again and again until it comes to that.
template <class Reached>
Outcome join_until(Reached reached, int job, const std::vector<std::string>& host) {
  Outcome outcome;
  wait_until([&] { return reached(outcome = join_job(job, host)); }, std::chrono::seconds{20});
  return outcome;
}

/// As soon as the job is so far.
inline Outcome join_early(int job, const std::vector<std::string>& host) {
  return join_until([](const Outcome& outcome) { return outcome.code == 0; }, job, host);
}

/// A job that others join. It is to last longer than they take to start.
class GrowingRun {
 public:
  explicit GrowingRun(const std::vector<std::string>& options, const std::vector<std::string>& program)
      : command_(words(options, program)) {}

  int number() const { return command_.pid(); }
  Outcome wait() { return command_.wait(); }
  nlohmann::json report() const { return nlohmann::json::parse(folder_.read("report.json")); }

 private:
  std::vector<std::string> words(std::vector<std::string> options,
                                 const std::vector<std::string>& program) const {
    options.insert(options.end(), {"--peer-timeout", "2s", "--json", folder_.path() / "report.json", "--"});
    options.insert(options.end(), program.begin(), program.end());
    return lbsp_run(std::move(options));
  }

  TemporaryFolder folder_;
  Command command_;
};

/// Takes some seconds on a fast machine, too: a new process may have to wait for a processor before it can knock.
inline std::vector<std::string> relaxation(int iterations = 20'000) {
  return {built("jacobi"), "--size", "65",      "--iterations", std::to_string(iterations),
          "--keep",        "10",     "--verify"};
}

/// Two ranks on one host, which may be fewer or more. This agent starts their processes, and those on hosts that join.
inline std::vector<std::string> by_agent(const TemporaryFolder& folder, const std::string& text) {
  return over_hosts(folder, "a slots=2 address=127.0.0.1\n", agent_script(folder, text),
                    {"-n", "2", "--on-failure", "shrink"});
}

/// It has the right answer with so many ranks that joined.
inline void expect_grown(GrowingRun& job, std::size_t joined, std::size_t never_joined = 0) {
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = job.report();
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["lost"].size(), never_joined) << report["lost"];
  std::size_t count = 0;
  for (const auto& change : report["changes"])
    count += change["joined"].size();
  EXPECT_EQ(count, joined);
}

}  // namespace lbsp::test
