#include "lbsp/history.hpp"

#include <algorithm>

namespace lbsp {

void History::add(const SuperstepFigures& superstep) {
  ++supersteps_;
  if (records_.size() < kept_) records_.push_back(superstep);
  add_end(superstep);
}

void History::credit_last(const transport::TrafficCounters& late) {
  totals_.traffic += late;
  if (supersteps_ > 0 && supersteps_ == records_.size()) records_.back().traffic += late;
}

void History::add_end(const SuperstepFigures& end) {
  totals_.compute += end.compute;
  totals_.communicate += end.communicate;
  totals_.h += end.h;
  totals_.traffic += end.traffic;
  totals_.forecast.duration += end.forecast.duration;
  totals_.forecast.most_copies = std::max(totals_.forecast.most_copies, end.forecast.most_copies);
}

}  // namespace lbsp
