#pragma once

#include <vector>

#include "lbsp/plan/superstep_shape.hpp"
#include "transport/options.hpp"

namespace lbsp::plan {

/// How the messages of one kind are protected; as transport::MessagePlan.
struct Protection {
  int copies = 1;
  int repair_segments = 0;
  int first_protected = 0;
  bool coded = false;

  friend bool operator==(const Protection&, const Protection&) = default;
};

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

/// How a planner repairs what the protection did not suffice for: so that as many as lack arrive with a
/// probability of 98 %, the second time 99.5 %.
model::RepairRule repair_rule();

/// The protection for which the time line predicts the shortest superstep; of those within 0.1 % about the
/// one that sends least. Tries some 10 to 40 for each kind: 0.1 ms for short messages, some milliseconds for
/// long ones.
ShapePlan best_protection(const SuperstepShape& shape, const Means& means);

/// For the paper's two schemes, in which every segment has k copies: the k for which 2τ·ρ̂ is least.
ShapePlan best_copies_in_rounds(const SuperstepShape& shape);

struct Predicted {
  double seconds = 0;  ///< expected
  double cost = 0;     ///< what best_protection() makes least: and half of what is sent beyond them
};

/// For given protection of each kind.
Predicted predict(const SuperstepShape& shape, const std::vector<Protection>& protection);

}  // namespace lbsp::plan
