#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

using Words = std::vector<std::string>;

/// `lbsp wan` with these words, to its end.
Outcome wan(Words words);

/// One line of what is wrong, in which `part` is, and nothing else.
void expect_refusal(const Outcome& outcome, const std::string& part);

/// A bed of the real command and real namespaces; where there can be none its tests are skipped. Each test
/// ends with `down` if it has not done so itself.
class Bed : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::filesystem::path folder() const { return "/run/lbsp-wan/" + name_; }

  Outcome up(Words options);
  Outcome change(Words words) const;
  Outcome down() { return wan({"down", "--name", name_}); }
  nlohmann::json bed() const;
  int router() const { return bed()["router_pid"]; }
  nlohmann::json stats() const;

  Words exec_words(const std::string& host, const Words& command) const;
  Outcome exec(const std::string& host, const Words& command) const;

  /// Runs the words of a shell on h0, and returns when they have begun. `first` has been done by then.
  std::unique_ptr<Command> sleeper(const std::string& words, const std::string& first = "") const;

  /// `lbsp run` of these arguments over the bed's hosts.
  Words run_words(const Words& arguments) const;
  /// The same over MPI, from the bed's first host.
  Words mpi_run_words(const Words& arguments) const;

  const std::string name_ = "test-" + std::to_string(::getpid());
};

}  // namespace lbsp::test
