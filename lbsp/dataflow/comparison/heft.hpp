#pragma once

#include <cstdint>
#include <vector>

#include "lbsp/dataflow/planning/estimates.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/ticks.hpp"

namespace lbsp::dataflow::comparison {

/// Where and when a token runs, in a plan without levels.
struct Slot {
  Worker worker = 0;
  Ticks start = 0;
  Ticks finish = 0;

  friend bool operator==(const Slot&, const Slot&) = default;
};

/// A plan of the whole graph.
struct HeftPlan {
  std::vector<Slot> slots;        ///< by token
  std::vector<TokenId> order;     ///< in which tokens were placed
  std::vector<Ticks> rank_sums;   ///< by token: its upward rank times the number of workers, which is whole
  std::uint64_t evaluations = 0;  ///< finish times that were compared

  Mapping mapping() const;
  /// The end of the last token.
  Ticks length() const;
};

/// What has happened when a plan is made anew.
struct HeftPast {
  std::vector<bool> fixed;  ///< by token: it has ended or begun …
  std::vector<Slot> slots;  ///< … there and then
  Ticks now = 0;            ///< nothing else begins earlier
};

/// HEFT (heterogeneous earliest finish time; Topcuoglu, Hariri and Wu, IEEE TPDS 13(3), 2002), the baseline that
/// L-HEFT is compared with: it knows the whole graph, and knows no levels. Tokens by falling upward rank, with mean
/// times, each into the earliest gap in which it ends first. Ties go to the lower level, token and worker.
///
/// Cost: tokens · workers · (inputs + the gaps after the inputs are there).
HeftPlan heft(const Structure& graph, const planning::Estimates& estimates);

/// The same of what `past` has not fixed.
HeftPlan heft(const Structure& graph, const planning::Estimates& estimates, const HeftPast& past);

}  // namespace lbsp::dataflow::comparison
