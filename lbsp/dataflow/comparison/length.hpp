#pragma once

#include <cstdint>
#include <vector>

#include "lbsp/dataflow/planning/estimates.hpp"
#include "lbsp/dataflow/planning/mapper.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::comparison {

/// A plan of all levels of a graph.
struct LevelledPlan {
  std::vector<planning::LevelPlan> levels;
  Mapping mapping;            ///< of all of them
  std::vector<Ticks> starts;  ///< by token, from the begin of its level

  std::uint64_t evaluations() const;
  /// The levels' lengths added up.
  Ticks length() const;
};

/// L-HEFT level by level from the same estimates, none of which is measured meanwhile. Who has fetched a stream is
/// one of its holders from the next level on.
LevelledPlan map_all(const Structure& graph, const planning::Estimates& estimates,
                     const MapOptions& options = {});

/// How long any mapping takes as supersteps: of each level the longest sum of fetches and computations of a worker.
/// Streams are fetched from who wrote them.
Ticks superstep_length(const Structure& graph, const planning::Estimates& estimates, const Mapping& mapping);

/// How long it takes without levels: each worker runs its tokens by level, then `starts`, then number, each as soon
/// as its inputs are there, and fetches while it computes.
Ticks free_running_length(const Structure& graph, const planning::Estimates& estimates,
                          const Mapping& mapping, const std::vector<Ticks>& starts);

/// The bytes that tokens fetch; a stream counts for each token that lacks it.
std::uint64_t fetched_bytes(const Structure& graph, const planning::Estimates& estimates,
                            const Mapping& mapping);

}  // namespace lbsp::dataflow::comparison
