#include "lbsp/checkpoint/saving_meter.hpp"

#include <algorithm>
#include <vector>

namespace lbsp::checkpoint {
namespace {

constexpr std::size_t most_steps = 64;
constexpr std::size_t most_states = 9;

double median_of(const std::deque<double>& values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

void add(std::deque<double>& values, double value, std::size_t most) {
  values.push_back(value);
  if (values.size() > most) values.pop_front();
}

}  // namespace

void SavingMeter::step_over(double seconds, bool closed) {
  if (!under_way_) return add(others_, seconds, most_steps);
  ++steps_;
  seconds_ += seconds;
  if (!closed) return;
  ++states_;
  add(works_, work_, most_states);
  if (!others_.empty()) add(costs_, seconds_ - static_cast<double>(steps_) * median_of(others_), most_states);
  break_off();
}

void SavingMeter::kept_here(double seconds) {
  ++states_here_;
  add(here_, seconds, most_states);
}

void SavingMeter::break_off() {
  under_way_ = false;
  steps_ = 0;
  seconds_ = 0;
  work_ = 0;
}

SavingMeasure SavingMeter::measure() const {
  return {median_of(others_), std::max(median_of(costs_), median_of(works_)), median_of(here_)};
}

}  // namespace lbsp::checkpoint
