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
/// What is sent besides the bytes themselves, against losses, and what else waits for them.
constexpr double most_times_thought = 4;

double median_of(const std::deque<double>& values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

/// The mean without the longest sixteenth and the shortest. Several steps together take so many times the mean, and not
/// the median, which is less where a few take long.
double usual_among(std::vector<double> sorted) {
  std::ranges::sort(sorted);
  const std::size_t apart = sorted.size() < 3 ? 0 : (sorted.size() + 15) / 16;
  const auto kept = std::span(sorted).subspan(apart, sorted.size() - 2 * apart);
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

template <class Value>
void add(std::deque<Value>& values, Value value, std::size_t most) {
  values.push_back(value);
  if (values.size() > most) values.pop_front();
}

}  // namespace

void SavingMeter::sent(double seconds) {
  ++states_;
  sent_ = true;
  sending_ += seconds;
  add(sendings_, seconds, most_states);
  add(works_, work_, most_states);
}

void SavingMeter::step_over(double seconds, bool closed, std::uint64_t supersteps) {
  ++all_steps_;
  all_seconds_ += seconds;
  differ_ = differ_ || all_supersteps_.value_or(supersteps) != supersteps;
  all_supersteps_ = supersteps;
  if (!under_way_) return add(others_, {seconds, supersteps}, most_steps);
  ++steps_[supersteps];
  seconds_ += seconds;
  if (!closed) return;
  ++closed_;
  if (!sent_) {  // in messages of which nothing is known
    ++states_;
    add(works_, work_, most_states);
  }
  if (!others_.empty()) note_cost();
  break_off();
}

void SavingMeter::note_cost() {
  const auto usual = usual_of_those_under_way();
  const double own = work_ + waited_;
  double cost = usual ? seconds_ - *usual : own + thought_ + sending_;
  if (thought_ > 0) cost = std::min(cost, own + most_times_thought * (thought_ + sending_));
  add(costs_, cost, most_states);
}

std::optional<double> SavingMeter::usual_of(std::uint64_t supersteps) const {
  std::vector<double> alike;
  for (const Step& step : others_)
    if (step.supersteps == supersteps) alike.push_back(step.seconds);
  return alike.empty() ? std::nullopt : std::optional(usual_among(std::move(alike)));
}

std::optional<double> SavingMeter::usual_of_those_under_way() const {
  double sum = 0;
  for (const auto& [supersteps, count] : steps_) {
    const auto usual = usual_of(supersteps);
    if (!usual) return std::nullopt;
    sum += static_cast<double>(count) * *usual;
  }
  return sum;
}

void SavingMeter::kept_here(double seconds) {
  ++states_here_;
  add(here_, seconds, most_states);
}

void SavingMeter::break_off() {
  under_way_ = false;
  sent_ = false;
  steps_.clear();
  seconds_ = work_ = waited_ = thought_ = sending_ = 0;
}

bool SavingMeter::compares_bytes() const {
  return !sendings_.empty() && others_.size() < enough_steps;
}

/// Of all steps, without what their states cost.
double SavingMeter::mean_step(double cost) const {
  return (all_seconds_ - static_cast<double>(states_) * cost) / static_cast<double>(all_steps_);
}

SavingMeasure SavingMeter::measure() const {
  SavingMeasure compared{0, std::max(median_of(costs_), median_of(works_)), median_of(here_)};
  if (!others_.empty())
    compared.step = differ_ ? std::max(0.0, mean_step(compared.cost)) : *usual_of(others_.back().supersteps);
  if (!compares_bytes()) return compared;
  const double cost = std::max(median_of(sendings_), median_of(works_));
  const double step = mean_step(cost);
  if (!(step > 0)) return compared;
  return {step, cost, compared.here, all_steps_ / states_};
}

}  // namespace lbsp::checkpoint
