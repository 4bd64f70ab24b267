#pragma once

#include <map>
#include <vector>

#include "model/tuning/setting.hpp"
#include "tools/tune/algorithm.hpp"
#include "tools/tune/platform.hpp"

namespace lbsp::tune {

/// The halo for each number of nodes: a deep one saves supersteps, and costs computing. It is chosen with the
/// protection that theory recommends and packets of about 1400 bytes, since the time hardly depends on the
/// halo near the best one.
class HaloChoice {
 public:
  /// All must outlive it.
  HaloChoice(const Algorithm& algorithm, const Platform& platform, model::tuning::UsualTimes& usual);

  /// Costs a few microseconds to a millisecond for a number of nodes that is new.
  double best(double nodes);

 private:
  double seconds(double nodes, double halo, double enough);

  const Algorithm& algorithm_;
  const Platform& platform_;
  model::tuning::UsualTimes& usual_;
  std::vector<double> halos_;
  std::size_t last_ = 0;  ///< the place of the last one found, from which the next is sought
  std::map<double, double> known_;
};

}  // namespace lbsp::tune
