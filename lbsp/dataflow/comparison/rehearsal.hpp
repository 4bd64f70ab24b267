#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lbsp/dataflow/planning/estimates.hpp"
#include "lbsp/dataflow/planning/mapper.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::comparison {

/// What tokens really take in a rehearsal, and who is told.
struct Reality {
  std::function<Ticks(TokenId, Worker)> run;
  /// Called as tokens end: what the Estimates' run() answers may follow from it.
  std::function<void(TokenId, Worker, Ticks)> learn;
};

/// A run without computing anything: what a way of planning would have come to.
struct Rehearsal {
  Ticks length = 0;
  std::size_t plans = 0;          ///< levels, or times that the whole was planned
  std::uint64_t evaluations = 0;  ///< finish times that were compared
  std::uint64_t fetched_bytes = 0;
  Ticks planning = 0;  ///< nanoseconds of processor time that it took here; not in `length`
};

/// L-HEFT: each level is mapped when those before it have ended, as supersteps.
Rehearsal rehearse_levels(const Structure& graph, const planning::Estimates& estimates,
                          const Reality& reality, const MapOptions& options = {});

/// Re-planned HEFT (the paper's D-HEFT): HEFT once, without levels. Whenever a token takes at least twice or at most
/// half as long as it was planned, everything that has not begun is planned anew.
Rehearsal rehearse_replanned_heft(const Structure& graph, const planning::Estimates& estimates,
                                  const Reality& reality);

}  // namespace lbsp::dataflow::comparison
