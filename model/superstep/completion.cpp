#include "model/superstep/completion.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lbsp::model::superstep {
namespace {

/// 1-e^-x is x for less, but for nothing that matters beside the model's error.
constexpr double unlikely = 1e-6;

}  // namespace

void CompletionTime::add(double seconds, double rise) {
  const double cells = seconds / width_;
  const auto j = static_cast<std::size_t>(cells);
  if (steps_.size() < j + 2) steps_.resize(j + 2, 0.);
  const double part = cells - static_cast<double>(j);
  steps_[j] += rise * (1 - part);
  steps_[j + 1] += rise * part;
}

double CompletionTime::mean() const {
  double mean = origin_;
  double log_f = 0;    // from the end, where F is 1
  double missing = 0;  // 1-F
  const auto first = static_cast<std::size_t>(origin_ / width_);
  for (std::size_t j = steps_.size(); j-- > first;) {
    const double from = std::max(static_cast<double>(j) * width_, origin_);
    mean += (static_cast<double>(j + 1) * width_ - from) * missing;
    if (steps_[j] == 0) continue;
    log_f -= steps_[j];
    missing = -log_f < unlikely ? -log_f : -std::expm1(std::max(log_f, log_of_nothing));
  }
  return mean;
}

}  // namespace lbsp::model::superstep
