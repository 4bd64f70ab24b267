#include "lbsp/history.hpp"

namespace lbsp {

void History::add(const SuperstepFigures& superstep) {
  ++supersteps_;
  if (records_.size() < kept_) records_.push_back(superstep);
  add_end(superstep);
}

void History::add_end(const SuperstepFigures& end) {
  totals_.compute += end.compute;
  totals_.communicate += end.communicate;
  totals_.h += end.h;
  totals_.traffic += end.traffic;
}

}  // namespace lbsp
