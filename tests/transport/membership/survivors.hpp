#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule.hpp"
#include "transport/membership/view.hpp"

namespace lbsp::transport::testing {

/// What is wrong with the processes on purpose, so that the checker must find it.
enum class Mutant {
  none,
  no_freeze,  ///< supersteps go on, and old boundaries are dropped, while the members agree
  any_half,   ///< half of the members go on, whichever half it is
  amnesia,  ///< who dies while it speaks, and often who has just voted, comes back and has forgotten its promises
};

struct Outcome {
  std::vector<std::string> violations;
  Epoch epochs = 0;             ///< the last that a process runs in
  Slot running = 0;             ///< processes in the end
  std::uint64_t completed = 0;  ///< supersteps, of all
  std::uint64_t views = 0;      ///< datagrams
};

/// Runs a job of abstract supersteps in virtual time: each process computes, says that its message is out, and has
/// completed the superstep when it has heard so of all others; it can go back by one.
/// Its members agree by Agreement, over a network as the schedule has it. The same schedule gives the same run.
Outcome run_schedule(const Schedule& schedule, Mutant mutant = Mutant::none);

}  // namespace lbsp::transport::testing
