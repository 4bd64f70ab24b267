#pragma once

namespace lbsp::plan {

/// Between which rates a host has sent lately, as far as its ranks knew when they planned. A rate that is still being
/// found, or that changes, is not the one at which the next superstep will be sent.
class RateRange {
 public:
  /// A leg is planned with this rate. `found`: nobody has told it, so that it tells nothing before it has changed.
  void note(double rate, bool found);

  /// What sending takes in times of what it would take at the rate noted last: at the middle of the range, and at its
  /// ends.
  struct Factors {
    double usual = 1;
    double least = 1;
    double most = 1;
  };
  Factors factors() const;

 private:
  bool untested_ = false;
  double rate_ = 0;
  double most_ = 0;
  double least_ = 0;
};

}  // namespace lbsp::plan
