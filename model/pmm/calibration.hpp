#pragma once

#include <span>
#include <vector>

#include "model/pmm/prediction.hpp"

namespace lbsp::model::pmm {

/// A product that was run, and how long it took.
struct MeasuredRun {
  double nodes = 1;
  double order = 0;
  double seconds = 0;
};

struct Calibration {
  Rates rates;
  std::vector<double> errors;  ///< by run: predicted / measured - 1, the paper's own test
};

/// What is known and not calibrated.
struct Delays {
  double schedule_seconds = 0;
  double startup_seconds = 0;  ///< half of the round trip, between ranks of lbsp
};

/// What is made least.
enum class Residuals {
  absolute,  ///< of predicted - measured, in seconds: the largest products decide
  relative,  ///< of predicted / measured - 1
};

/// The rates for which the predictions come nearest to the runs, by least squares: of T, less the delays, against g M²
/// and 2 M³/N. Throws std::invalid_argument if the runs do not tell both rates apart (they
/// need two orders, or two numbers of nodes), or fit a rate that is not above 0, besides what predict() throws.
Calibration calibrate(Broadcast broadcast, Overlap overlap, std::span<const MeasuredRun> runs,
                      const Delays& delays = {}, Residuals residuals = Residuals::absolute);

}  // namespace lbsp::model::pmm
