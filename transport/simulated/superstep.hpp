#pragma once

#include <vector>

#include "transport/simulated/network.hpp"

namespace lbsp::transport {

struct SuperstepOutcome {
  std::vector<std::vector<Bytes>> received;  ///< [to][from]
  std::vector<Instant> completed;            ///< by rank
};

/// Runs one superstep that all ranks begin now. outgoing[from][to] is the message from one rank to another.
/// Throws a rank's failure as its own thread would get it, and Error if a rank is not done `bound` after now.
SuperstepOutcome run_superstep(SimulatedNetwork& network, std::vector<std::vector<Bytes>> outgoing,
                               Duration bound = std::chrono::hours{1});

/// Runs the orderly end of all ranks. Throws as run_superstep does.
void run_finish(SimulatedNetwork& network, Duration bound = std::chrono::hours{1});

}  // namespace lbsp::transport
