#pragma once

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

}  // namespace lbsp::test
