#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::planning {

/// What a plan takes the work and the network to be. All ranks must have the same.
struct Estimates {
  std::vector<std::uint64_t> bytes;           ///< of each stream
  std::function<Ticks(TokenId, Worker)> run;  ///< how long a worker computes a token
  std::vector<Transfer> send;                 ///< by worker: what a stream costs that it sends

  Worker workers() const { return static_cast<Worker>(send.size()); }
  /// What it costs to have a stream of that length sent by one of these, the cheapest.
  Ticks move(std::uint64_t length, std::span<const Worker> holders) const;
};

}  // namespace lbsp::dataflow::planning
