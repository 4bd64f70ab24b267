#include "model/pmm/calibration.hpp"

#include <stdexcept>

#include "model/mathematics/least_squares.hpp"
#include "model/mathematics/require.hpp"

namespace lbsp::model::pmm {

Calibration calibrate(Broadcast broadcast, Overlap overlap, std::span<const MeasuredRun> runs,
                      double schedule_seconds) {
  std::vector<mathematics::Sample> samples;
  for (const MeasuredRun& run : runs) {
    mathematics::require_positive(run.seconds, "a measured time");
    // At rates of 1 the parts are what the times of an element and of a flop are multiplied with.
    const Prediction unit = predict(broadcast, overlap, run.nodes, run.order, {1, 1, schedule_seconds});
    samples.push_back({unit.communicate, unit.compute, run.seconds - unit.schedule});
  }
  const auto found = mathematics::least_squares(samples);
  if (!found)
    throw std::invalid_argument(
        "runs that do not tell communication from computing: add one of another order on several nodes");
  if (!(found->first > 0) || !(found->second > 0))
    throw std::invalid_argument(
        "runs that fit only a negative time of an element or a flop: add runs, or repeat those that were disturbed");
  Calibration out;
  out.rates = {1 / found->first, 1 / found->second, schedule_seconds};
  for (const MeasuredRun& run : runs)
    out.errors.push_back(predict(broadcast, overlap, run.nodes, run.order, out.rates).total / run.seconds -
                         1);
  return out;
}

}  // namespace lbsp::model::pmm
