#include "model/queueing/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "model/mathematics/least_squares.hpp"
#include "model/mathematics/require.hpp"

namespace lbsp::model::queueing {
namespace {

constexpr double difference_step = 1e-6;  ///< in the logarithm, for the derivatives
constexpr double last_step = 1e-10;       ///< in the logarithm: a step below ends the search
constexpr double least_effect = 1e-7;  ///< of one constant against the other's: what differences still show
constexpr int most_iterations = 200;
constexpr int most_halvings = 40;

/// Where one constant hardly matters, a straight line points further than any number goes.
constexpr double longest_step = 5;

Constants stepped(const Constants& from, double cpu_step, double net_step) {
  return {from.cpu * std::exp(cpu_step), from.net * std::exp(net_step)};
}

int processes_of(const MeasuredRun& run) {
  return std::accumulate(run.placement.processes.begin(), run.placement.processes.end(), 0);
}

/// The runs, the model, and how they differ.
class Problem {
 public:
  Problem(std::span<const MeasuredRun> runs, const Workload& workload, Reading reading, Residuals residuals)
      : runs_(runs), workload_(workload), reading_(reading), residuals_(residuals) {}

  double squared_sum(const Constants& constants) const {
    double sum = 0;
    for (const MeasuredRun& run : runs_)
      sum += std::pow(residual(run, constants), 2);
    return sum;
  }

  /// By each run: the derivatives to both logarithms, and what they should make up for.
  std::vector<mathematics::Sample> linearised(const Constants& at) const {
    std::vector<mathematics::Sample> out;
    constexpr double h = difference_step;
    for (const MeasuredRun& run : runs_)
      out.push_back({(residual(run, stepped(at, h, 0)) - residual(run, stepped(at, -h, 0))) / (2 * h),
                     (residual(run, stepped(at, 0, h)) - residual(run, stepped(at, 0, -h))) / (2 * h),
                     -residual(run, at)});
    return out;
  }

 private:
  double residual(const MeasuredRun& run, const Constants& constants) const {
    const double predicted = predict(run.placement, workload_, constants, reading_).seconds;
    return residuals_ == Residuals::relative ? predicted / run.seconds - 1 : predicted - run.seconds;
  }

  std::span<const MeasuredRun> runs_;
  const Workload& workload_;
  Reading reading_;
  Residuals residuals_;
};

Constants default_start(std::span<const MeasuredRun> runs) {
  const auto smallest = std::ranges::min_element(runs, {}, processes_of);
  return {processes_of(*smallest) * smallest->seconds, 1};
}

mathematics::Coefficients step_from(const Problem& problem, const Constants& at) {
  const std::vector<mathematics::Sample> samples = problem.linearised(at);
  const auto step = mathematics::least_squares(samples);
  const auto largest = [&samples](double mathematics::Sample::*side) {
    double out = 0;
    for (const auto& sample : samples)
      out = std::max(out, std::abs(sample.*side));
    return out;
  };
  const double cpu = largest(&mathematics::Sample::first);
  const double net = largest(&mathematics::Sample::second);
  if (!step || std::min(cpu, net) < least_effect * std::max(cpu, net))
    throw std::invalid_argument(
        "runs that do not tell the network from the processors: add runs at a placement with another share of network");
  const double longest = std::max(std::abs(step->first), std::abs(step->second));
  const double shortened = longest > longest_step ? longest_step / longest : 1;
  return {step->first * shortened, step->second * shortened};
}

}  // namespace

Calibration calibrate(std::span<const MeasuredRun> runs, const Workload& workload, Reading reading,
                      Residuals residuals, std::optional<Constants> start) {
  if (runs.empty()) throw std::invalid_argument("no runs to calibrate from: give two or more placements");
  for (const MeasuredRun& run : runs)
    mathematics::require_positive(run.seconds, "a measured time");
  const Problem problem(runs, workload, reading, residuals);
  Calibration out;
  out.constants = start ? *start : default_start(runs);
  out.squared_sum = problem.squared_sum(out.constants);
  while (out.iterations < most_iterations) {
    auto [cpu, net] = step_from(problem, out.constants);
    ++out.iterations;
    Constants next = stepped(out.constants, cpu, net);
    double sum = problem.squared_sum(next);
    for (int halving = 0; !(sum <= out.squared_sum) && halving < most_halvings; ++halving) {
      cpu /= 2;
      net /= 2;
      next = stepped(out.constants, cpu, net);
      sum = problem.squared_sum(next);
    }
    if (sum <= out.squared_sum) {
      out.constants = next;
      out.squared_sum = sum;
    }
    if (std::max(std::abs(cpu), std::abs(net)) < last_step) return out;
  }
  throw std::invalid_argument(
      "runs that no constants fit: the search for them does not end: check the measured times");
}

}  // namespace lbsp::model::queueing
