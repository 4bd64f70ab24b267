#pragma once

#include <vector>

#include "lbsp/plan/prediction.hpp"
#include "lbsp/plan/superstep_shape.hpp"

namespace lbsp::plan {

/// A whole superstep's.
struct ShapePlan {
  std::vector<Protection> kinds;  ///< as shape.kinds
  double seconds = 0;             ///< the expected duration
  double cost = 0;                ///< as predict() has it
};

/// The means that may be chosen from.
struct Means {
  bool copies = true;
  bool coded = true;
};

/// The protection for which the time line predicts the shortest superstep; of those within 0.1 % about the
/// one that sends least. Begins with what theory says and goes on to neighbours as long as they are better:
/// some 5 predictions for each kind of short messages, 10 to 20 for long ones.
ShapePlan best_protection(const SuperstepShape& shape, const Means& means);

/// 2τ·ρ̂: what the paper's two schemes take, in which every segment has k copies. Infinity if they hardly end.
double seconds_in_rounds(const SuperstepShape& shape, int copies);

/// The k for which that is least.
ShapePlan best_copies_in_rounds(const SuperstepShape& shape);

}  // namespace lbsp::plan
