#include "model/queueing/profile.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "model/mathematics/least_squares.hpp"
#include "model/mathematics/require.hpp"

namespace lbsp::model::queueing {
namespace {

using Axis = double (*)(double);

double same(double x) {
  return x;
}
double logarithm(double x) {
  return std::log(x);
}
double inverse(double x) {
  return 1 / x;
}

/// y(value) = first + second · x(processes).
mathematics::Coefficients straight_line(std::span<const Profiled> profile, Axis x, Axis y) {
  std::vector<mathematics::Sample> samples;
  for (const Profiled& point : profile) {
    mathematics::require_count(point.processes, "processes");
    mathematics::require_positive(point.value, "a profiled value");
    samples.push_back({1, x(point.processes), y(point.value)});
  }
  const auto found = mathematics::least_squares(samples);
  if (!found)
    throw std::invalid_argument(
        "a profile of one number of processes: add a run on another number of processes");
  return *found;
}

double squared_relative_errors(const MessageLaw& law, std::span<const Profiled> profile) {
  double sum = 0;
  for (const Profiled& point : profile) {
    const double error = law.bytes(point.processes) / point.value - 1;
    sum += error * error;
  }
  return sum;
}

}  // namespace

double MessageLaw::bytes(double processes) const {
  return form == Form::power ? a * std::pow(processes, -b) : a / processes + b;
}

double SendLaw::sends(double processes) const {
  return c * std::log(processes) + d;
}

MessageLaw fit_messages(std::span<const Profiled> profile, MessageLaw::Form form) {
  if (form == MessageLaw::Form::power) {
    const auto [intercept, slope] = straight_line(profile, logarithm, logarithm);
    return {form, std::exp(intercept), -slope};
  }
  const auto [intercept, slope] = straight_line(profile, inverse, same);
  return {form, slope, intercept};
}

MessageLaw fit_messages(std::span<const Profiled> profile) {
  const MessageLaw power = fit_messages(profile, MessageLaw::Form::power);
  const MessageLaw hyperbola = fit_messages(profile, MessageLaw::Form::hyperbola);
  return squared_relative_errors(hyperbola, profile) < squared_relative_errors(power, profile) ? hyperbola
                                                                                               : power;
}

SendLaw fit_sends(std::span<const Profiled> profile) {
  const auto [intercept, slope] = straight_line(profile, logarithm, same);
  return {slope, intercept};
}

}  // namespace lbsp::model::queueing
