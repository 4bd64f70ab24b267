#pragma once

#include <span>
#include <vector>

#include "lbsp/plan/superstep_shape.hpp"
#include "model/superstep/time_line.hpp"
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

/// How a planner repairs what the protection did not suffice for: so that as many as lack arrive with a
/// probability of 98 %, the second time 99.5 %.
model::superstep::RepairRule repair_rule();

struct Predicted {
  double seconds = 0;  ///< expected
  double cost = 0;     ///< what best_protection() makes least: and half of what is sent beyond them
};

/// What a superstep takes, with one protection after the other: what they have in common is worked out once.
class Predictor {
 public:
  explicit Predictor(const SuperstepShape& shape);

  /// With a protection for each of the shape's kinds.
  Predicted predict(std::span<const Protection> protection);

 private:
  model::superstep::CompletionTimes times_;
  std::vector<model::superstep::MessageKind> kinds_;
};

/// With one.
Predicted predict(const SuperstepShape& shape, std::span<const Protection> protection);

}  // namespace lbsp::plan
