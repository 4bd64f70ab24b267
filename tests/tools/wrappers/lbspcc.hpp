#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

/// Runs a wrapper of the build tree in `directory`.
inline Outcome compile(const std::string& wrapper, std::vector<std::string> arguments,
                       const std::string& directory) {
  arguments.insert(arguments.begin(), built(wrapper));
  return Command(arguments, {.directory = directory}).wait();
}

/// Expects that it works, and silently.
inline void expect_compiles(const std::string& wrapper, std::vector<std::string> arguments,
                            const std::string& directory) {
  const Outcome outcome = compile(wrapper, std::move(arguments), directory);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output + outcome.errors, "");
}

/// Programs in a folder of their own, which the wrappers compile.
class Lbspcc : public testing::Test {
 protected:
  std::string directory() const { return folder_.path(); }

  void expect_runs(const std::string& program, const std::string& says) const {
    const Outcome outcome = run({"-n", "2", directory() + "/" + program});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, testing::HasSubstr(says));
  }

  TemporaryFolder folder_;
};

}  // namespace lbsp::test
