#include "lbsp/checkpoint/saving_meter.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace lbsp::checkpoint {
namespace {

constexpr std::size_t most_steps = 64;
constexpr std::size_t most_states = 9;
/// For the median of others than those with a state to mean something.
constexpr std::size_t enough_steps = 8;

double median_of(const std::deque<double>& values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

/// The mean without the longest sixteenth and the shortest. Several steps together take so many times the mean, and not
/// the median, which is less where a few take long.
double usual_of(const std::deque<double>& values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t apart = sorted.size() < 3 ? 0 : (sorted.size() + 15) / 16;
  const auto kept = std::span(sorted).subspan(apart, sorted.size() - 2 * apart);
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

void add(std::deque<double>& values, double value, std::size_t most) {
  values.push_back(value);
  if (values.size() > most) values.pop_front();
}

}  // namespace

void SavingMeter::sent(double seconds) {
  ++states_;
  sent_ = true;
  add(sendings_, seconds, most_states);
  add(works_, std::exchange(work_, 0), most_states);
}

void SavingMeter::step_over(double seconds, bool closed) {
  ++all_steps_;
  all_seconds_ += seconds;
  if (!under_way_) return add(others_, seconds, most_steps);
  ++steps_;
  seconds_ += seconds;
  if (!closed) return;
  ++closed_;
  if (!sent_) {  // in messages of which nothing is known
    ++states_;
    add(works_, work_, most_states);
  }
  if (!others_.empty()) add(costs_, seconds_ - static_cast<double>(steps_) * usual_of(others_), most_states);
  break_off();
}

void SavingMeter::kept_here(double seconds) {
  ++states_here_;
  add(here_, seconds, most_states);
}

void SavingMeter::break_off() {
  under_way_ = false;
  sent_ = false;
  steps_ = 0;
  seconds_ = 0;
  work_ = 0;
}

bool SavingMeter::compares_bytes() const {
  return !sendings_.empty() && others_.size() < enough_steps;
}

SavingMeasure SavingMeter::measure() const {
  const SavingMeasure compared{usual_of(others_), std::max(median_of(costs_), median_of(works_)),
                               median_of(here_)};
  if (!compares_bytes()) return compared;
  const double cost = std::max(median_of(sendings_), median_of(works_));
  const double without = all_seconds_ - static_cast<double>(states_) * cost;
  if (!(without > 0)) return compared;
  return {without / static_cast<double>(all_steps_), cost, compared.here, all_steps_ / states_};
}

}  // namespace lbsp::checkpoint
