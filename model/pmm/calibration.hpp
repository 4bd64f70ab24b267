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
  double computing = 0;  ///< of these, by those that computed longest in each iteration; 0: not known
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
/// and 2 M³/N; or of both parts of T, each against its own, where a run tells how long it computed. Then the time of an
/// element does not make up for that of a flop, which matters where one is a small part of T. Throws
/// std::invalid_argument if the runs do not tell both rates apart (without times of computing they need two orders, or
/// two numbers of nodes), or fit a rate that is not above 0, besides what predict() throws.
Calibration calibrate(Broadcast broadcast, Overlap overlap, std::span<const MeasuredRun> runs,
                      const Delays& delays = {}, Residuals residuals = Residuals::absolute);

}  // namespace lbsp::model::pmm
