#pragma once

#include <cstdio>
#include <fmt/format.h>

#include "lbsp/job/run.hpp"
#include "tools/programs/outcome.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {

/// The whole of a ready program's main(): parses the arguments, does the job, and has rank 0 print the line
/// that sums it up, or the help that was asked for. An answer that was found wrong is an error.
template <class Arguments, class Parse, class Job>
int program_main(int count, const char* const* words, Parse parse, Job job) {
  return run([&](World& world) {
    Arguments arguments;
    if (const auto help = parse(count, words, arguments)) {
      if (world.rank() == 0) fmt::print("{}", *help);
      return;
    }
    const Outcome outcome = job(world, arguments);
    if (world.rank() == 0) fmt::print("{}\n", outcome.summary);
    std::fflush(stdout);
    if (!outcome.refutation.empty()) throw Error(outcome.refutation);
  });
}

}  // namespace lbsp::programs
