#pragma once

#include <vector>

namespace lbsp::model::superstep {

/// The distribution of the time from the common begin of a superstep to the end of its slowest rank. F(t),
/// the probability that it has ended by t, is kept as steps of ln F on a grid.
class CompletionTime {
 public:
  double mean() const { return mean_; }
  /// The seconds within which the superstep ends with a probability of `level`. Throws std::invalid_argument
  /// for a level outside (0, 1).
  double quantile(double level) const;
  /// F
  double probability_by(double seconds) const;
  /// When a rank has sent everything that it planned to send, on average, unless the others' next messages
  /// tell it earlier that nothing more is needed.
  double sending_ends() const { return sending_ends_; }

 private:
  friend class CompletionSteps;
  CompletionTime(double origin, double sending_ends, double width, std::vector<double> steps);

  double origin_;  ///< seconds; nothing is complete before
  double sending_ends_;
  double width_;  ///< of a cell of the grid
  double mean_;
  std::vector<double> log_f_;  ///< in cell j, from j·width to (j+1)·width
};

/// Collects the steps: F is the product over many independent parts of the superstep, each of which becomes
/// more likely to be complete at certain times.
class CompletionSteps {
 public:
  explicit CompletionSteps(double cell_seconds) : width_(cell_seconds) { steps_.reserve(512); }

  /// Some part may be complete from then on, but not before.
  void begin(double seconds);
  /// ln F rises by `rise`. It is shared out between the neighbouring lines of the grid, so that its place
  /// stays right on average.
  void add(double seconds, double rise);
  /// The planned datagrams have gone by then.
  void sent(double seconds);
  CompletionTime finish() &&;

 private:
  double width_;
  double origin_ = 0;
  double sending_ends_ = 0;
  std::vector<double> steps_;
};

}  // namespace lbsp::model::superstep
