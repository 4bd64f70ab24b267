#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include "model/superstep/completion.hpp"

namespace lbsp::model::superstep {

/// How long nine of ten of a run's supersteps take on the hosts that it has, learnt from those that have been.
///
/// No prediction knows what hosts add: ranks that wait for a processor, or wake up late. So the interval is that of
/// the last residuals, measured less predicted seconds, of supersteps that were predicted to take about as long (within
/// a power of two): of 59 at most. The mean is theirs, less what may be chance. Before there are 19, the prediction's
/// own quantiles stand about that mean for those that lack, wider the less is known of it, and each superstep takes the
/// place of one. How rare a residual must be to be left out adapts to how many have been left out on that side
/// (adaptive conformal inference: Gibbs and Candès, NeurIPS 2021), so that in the long run nine of ten are inside
/// whatever the hosts do, and also when that changes.
class CalibratedForecast {
 public:
  /// Within which nine of ten predictions are before a superstep has shown what they leave out, and what hosts add.
  static constexpr double first_error = 0.08;

  /// Of the next superstep, for which nine of ten were predicted. The mean and the deviation are calibrated, too.
  Spread of(const Spread& predicted) const;
  /// That superstep took so many seconds. Costs some microseconds.
  void learn(const Spread& predicted, double seconds);

 private:
  static constexpr double outside = 0.05;  ///< of all supersteps, on either side

  struct Residual {
    double predicted;  ///< seconds …
    double more;       ///< … that it took beyond
  };

  /// Supersteps that were predicted to take about as long.
  struct Like {
    std::deque<Residual> residuals;  ///< the newest last
    double below = outside;          ///< the share of residuals to be left out …
    double above = outside;          ///< … on either side
  };

  const Like& like(const Spread& predicted) const;
  const Like* nearest(int exponent) const;
  /// The newest last.
  std::vector<double> residuals_for(const Spread& predicted) const;

  std::map<int, Like> kinds_;  ///< by the binary exponent of the predicted seconds
};

}  // namespace lbsp::model::superstep
