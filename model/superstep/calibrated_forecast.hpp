#pragma once

#include <cstddef>
#include <deque>
#include <map>

#include "model/superstep/completion.hpp"

namespace lbsp::model::superstep {

/// How long nine of ten of a run's supersteps take on the hosts that it has, learnt from those that have been.
///
/// No prediction knows what hosts add: ranks that wait for a processor, or wake up late. So the interval is that of
/// the last residuals, measured less predicted seconds, of supersteps that were predicted to take about as long (within
/// a power of two): of 59 at most. Before there are 19, the prediction's own quantiles stand for those that lack, and
/// each superstep takes the place of one. How rare a residual must be to be left out adapts to how many have been left
/// out on that side (adaptive conformal inference: Gibbs and Candès, NeurIPS 2021), so that in the long run nine of ten
/// are inside whatever the hosts do, and also when that changes.
class CalibratedForecast {
 public:
  /// Of the next superstep, for which nine of ten were predicted. The mean and the deviation are calibrated, too.
  Spread of(const Spread& predicted) const;
  /// That superstep took so many seconds. Costs some microseconds.
  void learn(const Spread& predicted, double seconds);

 private:
  static constexpr double outside = 0.05;  ///< of all supersteps, on either side

  /// Supersteps that were predicted to take about as long.
  struct Like {
    std::deque<double> residuals;  ///< the newest last
    std::size_t learnt = 0;
    double below = outside;  ///< the share of residuals to be left out …
    double above = outside;  ///< … on either side
  };

  static Like begin(const Spread& predicted);
  static Spread around(const Spread& predicted, const Like& like);

  std::map<int, Like> kinds_;  ///< by the binary exponent of the predicted seconds
};

}  // namespace lbsp::model::superstep
