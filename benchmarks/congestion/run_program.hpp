#pragma once

#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace lbsp::bench {

/// What main() returns after `run` with the words of the command line; of an exception it prints one line.
template <class Run>
int run_program(Run run, int argc, char** argv) {
  try {
    run(std::vector<std::string>(argv + 1, argv + argc));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lbsp: {}\n", error.what());
    return 1;
  }
}

}  // namespace lbsp::bench
