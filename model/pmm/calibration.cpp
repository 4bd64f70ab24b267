#include "model/pmm/calibration.hpp"

#include <stdexcept>

#include "model/mathematics/least_squares.hpp"
#include "model/mathematics/require.hpp"

namespace lbsp::model::pmm {

Calibration calibrate(Broadcast broadcast, Overlap overlap, std::span<const MeasuredRun> runs,
                      const Delays& delays, Residuals residuals) {
  std::vector<mathematics::Sample> samples;
  for (const MeasuredRun& run : runs) {
    mathematics::require_positive(run.seconds, "a measured time");
    mathematics::require_not_negative(run.computing, "a measured time of computing");
    // At rates of 1 the parts are what the times of an element and of a flop are multiplied with.
    const Prediction unit =
        predict(broadcast, overlap, run.nodes, run.order, {1, 1, delays.schedule_seconds});
    const double delayed = unit.schedule + startups(broadcast, overlap, run.nodes) * delays.startup_seconds;
    const double weight = residuals == Residuals::relative ? 1 / run.seconds : 1;
    const double undelayed = run.seconds - delayed;
    if (run.computing > 0) {
      samples.push_back({weight * unit.communicate, 0, weight * (undelayed - run.computing)});
      samples.push_back({0, weight * unit.compute, weight * run.computing});
    } else {
      samples.push_back({weight * unit.communicate, weight * unit.compute, weight * undelayed});
    }
  }
  const auto found = mathematics::least_squares(samples);
  if (!found)
    throw std::invalid_argument(
        "runs that do not tell communication from computing: add one of another order on several nodes");
  if (!(found->first > 0) || !(found->second > 0))
    throw std::invalid_argument(
        "runs that fit only a negative time of an element or a flop: add runs, or repeat those that were disturbed");
  Calibration out;
  out.rates = {1 / found->first, 1 / found->second, delays.schedule_seconds, delays.startup_seconds};
  for (const MeasuredRun& run : runs)
    out.errors.push_back(predict(broadcast, overlap, run.nodes, run.order, out.rates).total / run.seconds -
                         1);
  return out;
}

}  // namespace lbsp::model::pmm
