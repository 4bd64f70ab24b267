#include "model/superstep/completion.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace lbsp::model::superstep {
namespace {

/// 1-e^-x is x, for less, and e^x is 0, but for nothing that matters beside the model's error.
constexpr double unlikely = 1e-6;
constexpr double log_of_nothing = -40;

}  // namespace

CompletionTime::CompletionTime(double origin, double sending_ends, double width, std::vector<double> steps)
    : origin_(origin), sending_ends_(sending_ends), width_(width), mean_(origin), log_f_(std::move(steps)) {
  // From the end, where F is 1: what is too rare to be counted counts as complete.
  double log_f = 0;
  for (std::size_t j = log_f_.size(); j-- > 0;)
    log_f -= std::exchange(log_f_[j], log_f);
  double last = 0;
  double missing = 0;  // 1-F
  for (auto j = static_cast<std::size_t>(origin_ / width_); j < log_f_.size(); ++j) {
    const double from = std::max(static_cast<double>(j) * width_, origin_);
    if (log_f_[j] != last) {
      last = log_f_[j];
      missing = -last < unlikely ? -last : -std::expm1(std::max(last, log_of_nothing));
    }
    mean_ += (static_cast<double>(j + 1) * width_ - from) * missing;
  }
}

double CompletionTime::probability_by(double seconds) const {
  if (seconds < origin_) return 0;
  const double cell = seconds / width_;
  return cell < static_cast<double>(log_f_.size()) ? std::exp(log_f_[static_cast<std::size_t>(cell)]) : 1;
}

double CompletionTime::quantile(double level) const {
  if (!(level > 0 && level < 1))
    throw std::invalid_argument("a quantile of " + std::to_string(level) + ": give one between 0 and 1");
  auto j = static_cast<std::size_t>(origin_ / width_);
  while (j < log_f_.size() && log_f_[j] < std::log(level))
    ++j;
  return std::max(origin_, static_cast<double>(j) * width_);
}

void CompletionSteps::begin(double seconds) {
  origin_ = std::max(origin_, seconds);
}

void CompletionSteps::sent(double seconds) {
  sending_ends_ = std::max(sending_ends_, seconds);
}

void CompletionSteps::add(double seconds, double rise) {
  const double cells = seconds / width_;
  const auto j = static_cast<std::size_t>(cells);
  if (steps_.size() < j + 2) steps_.resize(j + 2, 0.);
  const double part = cells - static_cast<double>(j);
  steps_[j] += rise * (1 - part);
  steps_[j + 1] += rise * part;
}

CompletionTime CompletionSteps::finish() && {
  return {origin_, sending_ends_, width_, std::move(steps_)};
}

}  // namespace lbsp::model::superstep
