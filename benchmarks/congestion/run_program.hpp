#pragma once

#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace lbsp::bench {

/// What main() returns after `run` with the words of the command line; of an exception it prints one line. --help alone
/// prints `usage`, if there is one, in place of that.
template <class Run>
int run_program(Run run, int argc, char** argv, const std::string& usage = {}) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (!usage.empty() && words.size() == 1 && (words.front() == "--help" || words.front() == "-h")) {
      fmt::print("{}\n", usage);
      return 0;
    }
    run(words);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lbsp: {}\n", error.what());
    return 1;
  }
}

}  // namespace lbsp::bench
