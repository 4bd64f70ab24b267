#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "transport/exchange.hpp"
#include "transport/simulated/network.hpp"

namespace lbsp::transport {

struct SimulatedJobConfig {
  SimulationConfig network;
  Duration time_bound = std::chrono::hours{24};  ///< virtual time after which waiting ranks get an Error
};

struct SimulatedJobOutcome {
  std::vector<std::exception_ptr> errors;  ///< by rank: what its program threw; null if it returned
  Duration elapsed{0};                     ///< virtual time
  std::uint64_t deliveries = 0;
  std::uint64_t trace_hash = 0;

  /// Throws the error of the lowest rank that has one.
  void rethrow_first_error() const;
};

/// The exchange of one rank over a SimulatedNetwork. Only run_simulated makes one.
class SimulatedExchange : public Exchange {
 public:
  /// The virtual time. It stands still while the program computes.
  virtual Instant now() const = 0;
};

/// Runs an ordinary blocking program once for each rank, each on a thread of its own, over a simulated
/// network.
///
/// Virtual time passes only while every rank waits in a call, and calls at the same virtual time are applied
/// in rank order. So the outcome depends only on the configuration and the program. A rank whose program
/// returns or throws is gone, like an ended process; after abort() or a failure it first gets a virtual
/// second to tell the others. When nothing more can happen, or after the time bound, all waiting ranks get an
/// Error.
SimulatedJobOutcome run_simulated(const SimulatedJobConfig& config,
                                  const std::function<void(SimulatedExchange&)>& program);

}  // namespace lbsp::transport
