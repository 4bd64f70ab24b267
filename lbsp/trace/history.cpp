#include "lbsp/trace/history.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lbsp {
void History::add(const SuperstepFigures& superstep) {
  ++supersteps_;
  totals_ += superstep;
  if (last_is_full() && records_.size() == most_) join_neighbours();
  if (last_is_full()) {
    records_.add(superstep, most_);
    in_last_ = 1;
  } else {
    records_.join_to_last(superstep);
    ++in_last_;
  }
}

void History::trace_last(const trace::Figures& traced) {
  const std::size_t record = records_.size() - 1;
  if (traced_.empty() || traced_.back().record != record) {
    traced_.push_back({record, traced});
  } else {
    traced_.back().figures += traced;
  }
}

std::vector<trace::Figures> History::traced(std::size_t first, std::size_t end) const {
  std::vector<trace::Figures> out(end - first);
  auto next = std::ranges::lower_bound(traced_, first, {}, &Traced::record);
  trace::Network network;
  if (next != traced_.begin()) network = std::prev(next)->figures.network;
  for (std::size_t record = first; record < end; ++record) {
    trace::Figures& figures = out[record - first];
    if (next != traced_.end() && next->record == record)
      figures = (next++)->figures;
    else
      figures.network = network;
    network = figures.network;
  }
  return out;
}

void History::credit_last(const transport::TrafficCounters& late) {
  totals_.traffic += late;
  if (!records_.empty()) records_.credit_last(late);
}

void History::add_end(const SuperstepFigures& end) {
  totals_ += end;
}

void History::join_neighbours() {
  const bool odd = records_.size() % 2 == 1;
  records_.join_neighbours();
  in_last_ = odd ? each_ : 2 * each_;
  each_ *= 2;
  join_traced();
}

void History::join_traced() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < traced_.size(); ++i) {
    Traced next = std::move(traced_[i]);
    next.record /= 2;
    if (kept > 0 && traced_[kept - 1].record == next.record) {
      traced_[kept - 1].figures += next.figures;
    } else {
      traced_[kept++] = std::move(next);
    }
  }
  traced_.resize(kept);
}

}  // namespace lbsp
