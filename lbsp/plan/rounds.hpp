#pragma once

#include "model/superstep/superstep.hpp"
#include "transport/options.hpp"

namespace lbsp::plan {

/// 2τ·ρ̂: what the paper's two schemes take, in which every segment has k copies. Infinity if they hardly end.
double seconds_in_rounds(const model::superstep::Superstep& superstep, transport::Recovery recovery,
                         int copies);

/// The k for which that is least.
int best_copies_in_rounds(const model::superstep::Superstep& superstep, transport::Recovery recovery);

}  // namespace lbsp::plan
