#include "tools/launch/report/step_records.hpp"

#include <algorithm>

namespace lbsp::launch::report {

StepRecords::StepRecords(Rank ranks) : times_(ranks) {
  set_size(ranks);
}

void StepRecords::set_size(Rank ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  heard_.resize(count);
  heard_until_.resize(count);
  told_.resize(count);
  compute_.resize(count);
  times_.set_size(ranks);
}

bool StepRecords::add(Rank rank, const job::Steps& steps) {
  if (static_cast<std::size_t>(rank) >= told_.size() || steps.figures.empty()) return false;
  const std::uint64_t first = steps.first / steps.each;
  // A rank keeps a bounded number of records, so no more than that are expected.
  if (first > History::most_records || steps.figures.size() > History::most_records - first) return false;
  const job::SuperstepRange last = steps.range(steps.figures.size() - 1);
  auto& heard = heard_until_[static_cast<std::size_t>(rank)];
  const bool further = last.first + last.count > heard;
  heard = std::max(heard, last.first + last.count);
  // Only ranks that were stopped in different supersteps can have records of different lengths.
  if (steps.first % steps.each != 0 || (!steps_.empty() && steps.each != steps_each_)) return further;
  steps_each_ = steps.each;
  in_steps_ = std::max(in_steps_, last.first + last.count);
  auto& told = told_[static_cast<std::size_t>(rank)];
  told = std::max(told, last.first + last.count);
  const auto end = static_cast<std::size_t>(first) + steps.figures.size();
  steps_.resize(std::max(steps_.size(), end));
  auto sum = steps_.begin() + static_cast<std::ptrdiff_t>(first);
  for (const SuperstepFigures& figures : steps.figures) {
    sum->compute = std::max(sum->compute, figures.compute);
    sum->communicate = std::max(sum->communicate, figures.communicate);
    sum->h = std::max(sum->h, figures.h);
    sum->traffic += figures.traffic;
    sum->forecast.most_copies = std::max(sum->forecast.most_copies, figures.forecast.most_copies);
    compute_[static_cast<std::size_t>(rank)] += figures.compute;
    ++sum;
  }
  heard_[static_cast<std::size_t>(rank)] = true;
  times_.add(rank, steps);
  return further;
}

std::span<const SuperstepFigures> StepRecords::steps() const {
  std::uint64_t common = in_steps_;
  for (std::size_t rank = 0; rank < told_.size(); ++rank) {
    if (heard_[rank]) common = std::min(common, told_[rank]);
  }
  // A record that is not whole on every rank has other supersteps on each.
  const std::uint64_t records = common == in_steps_ ? steps_.size() : common / steps_each_;
  return std::span(steps_).first(std::min(steps_.size(), static_cast<std::size_t>(records)));
}

job::SuperstepRange StepRecords::range(std::size_t step) const {
  const std::uint64_t first = step * steps_each_;
  return {first, std::min(steps_each_, in_steps_ - first)};
}

Seconds StepRecords::compute() const {
  Seconds sum{0};
  for (const SuperstepFigures& step : steps_)
    sum += step.compute;
  return sum;
}

}  // namespace lbsp::launch::report
