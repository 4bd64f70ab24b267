#include "model/superstep/prediction.hpp"

#include <algorithm>

#include "model/superstep/time_line.hpp"

namespace lbsp::model::superstep {
namespace {

/// What is still being sent when the superstep ends delays the next, if that begins at once, until its
/// messages acknowledge this one's: about half of the time, as measured.
constexpr double still_sending_weight = 0.5;

}  // namespace

Predictor::Predictor(const Superstep& superstep, const Protocol& protocol)
    : superstep_(superstep), protocol_(protocol), outcomes_(block_outcomes_of(superstep.path, protocol)) {}

Prediction Predictor::predict(std::span<const Protection> protection) {
  const CompletionTime time = completion_time(superstep_, protection, protocol_, outcomes_);
  const double mean = time.mean();
  return {mean, mean + still_sending_weight * std::max(0., time.sending_ends() - mean)};
}

Prediction predict(const Superstep& superstep, std::span<const Protection> protection,
                   const Protocol& protocol) {
  return Predictor(superstep, protocol).predict(protection);
}

}  // namespace lbsp::model::superstep
