#pragma once

#include <vector>

#include "transport/simulated/network.hpp"

namespace lbsp::transport {

struct SuperstepOutcome {
  std::vector<std::vector<Bytes>> received;  ///< [to][from]
  std::vector<Instant> completed;            ///< by rank
};

/// One superstep of all ranks, begun by all now: outgoing[from][to] goes from one to the other. Throws a
/// rank's failure as its own thread would get it, and Error if some rank is not done `bound` after now.
SuperstepOutcome run_superstep(SimulatedNetwork& network, std::vector<std::vector<Bytes>> outgoing,
                               Duration bound = std::chrono::hours{1});

/// The orderly end of all ranks; throws as run_superstep does.
void run_finish(SimulatedNetwork& network, Duration bound = std::chrono::hours{1});

}  // namespace lbsp::transport
