#include "lbsp/plan/prediction.hpp"

#include <algorithm>

namespace lbsp::plan {
namespace {

/// What is still being sent when the superstep ends delays the next, if that begins at once, until its
/// messages acknowledge this one's: about half of the time, as measured.
constexpr double still_sending_weight = 0.5;

model::superstep::ProtocolConstants constants() {
  model::superstep::ProtocolConstants constants;
  constants.repairs = repair_rule();
  return constants;
}

}  // namespace

model::superstep::RepairRule repair_rule() {
  return {.first_residual = 0.02, .later_residual = 0.005};
}

Predictor::Predictor(const SuperstepShape& shape) : times_(shape.ranks, shape.path(), constants()) {
  for (const ShapeKind& kind : shape.kinds) {
    kinds_.push_back({.per_rank = static_cast<double>(kind.messages),
                      .segments = kind.segments,
                      .segment_seconds = kind.segment_seconds});
  }
}

Predicted Predictor::predict(std::span<const Protection> protection) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    kinds_[i].copies = protection[i].copies;
    kinds_[i].repair_segments = protection[i].repair_segments;
    kinds_[i].first_protected = protection[i].first_protected;
    kinds_[i].coded = protection[i].coded;
  }
  const model::superstep::CompletionTime time = times_.of(kinds_);
  const double mean = time.mean();
  return {mean, mean + still_sending_weight * std::max(0., time.sending_ends() - mean)};
}

Predicted predict(const SuperstepShape& shape, std::span<const Protection> protection) {
  return Predictor(shape).predict(protection);
}

}  // namespace lbsp::plan
