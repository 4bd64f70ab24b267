#pragma once

#include <optional>
#include <span>

#include "model/queueing/prediction.hpp"

namespace lbsp::model::queueing {

/// A program that was run, and how long it took.
struct MeasuredRun {
  Placement placement;
  double seconds = 0;
};

/// What is made least.
enum class Residuals {
  relative,  ///< of predicted / measured - 1
  absolute,  ///< of predicted - measured, in seconds: the slowest run decides
};

struct Calibration {
  Constants constants;
  double squared_sum = 0;  ///< of the residuals
  int iterations = 0;
};

/// The constants for which the predictions come nearest to the runs, by Gauss and Newton's steps in their logarithms
/// from `start`; by default from K_cpu = n T of the run with fewest processes, K_net = 1. Throws std::invalid_argument
/// if the runs do not determine both, as those of one host alone cannot, or if the steps do not come to an end;
/// besides what predict() throws.
Calibration calibrate(std::span<const MeasuredRun> runs, const Workload& workload,
                      Reading reading = Reading::load_dependent, Residuals residuals = Residuals::relative,
                      std::optional<Constants> start = {});

}  // namespace lbsp::model::queueing
