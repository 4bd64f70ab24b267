#pragma once

#include <cstdio>
#include <unistd.h>

#include "lbsp/job/run.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/programs/memory.hpp"
#include "tools/programs/outcome.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {

/// The whole of a ready program's main(): parses the arguments, does the job, and lets rank 0 print the
/// summary line, or the help if that was asked for. An answer that was found wrong is an error.
template <class Arguments, class Parse, class Job>
int program_main(int count, const char* const* words, Parse parse, Job job) {
  note_free_memory();
  const int code = run([&](World& world) {
    Arguments arguments;
    if (const auto help = parse(count, words, arguments)) {
      if (world.rank() == 0) command_line::write_output(*help);
      return;
    }
    const Outcome outcome = job(world, arguments);
    if (world.rank() == 0) command_line::write_output(outcome.summary + "\n");
    if (!outcome.refutation.empty()) throw Error(outcome.refutation);
  });
  if (code == 0) return 0;
  // Where OpenBLAS has found no room for a thread's buffer, that thread never ends, and exit() would wait for it.
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace lbsp::programs
