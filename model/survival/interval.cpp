#include "model/survival/interval.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/mathematics/require.hpp"

namespace lbsp::model::survival {
namespace {

void check(const Saving& saving) {
  mathematics::require_not_negative(saving.cost, "a cost of a state");
  if (!(saving.between_failures > 0))
    throw std::invalid_argument("a mean time between failures of " + std::to_string(saving.between_failures) +
                                " s: give more than 0");
}

}  // namespace

double best_interval(const Saving& saving) {
  check(saving);
  const auto [cost, mean] = saving;
  if (cost == 0) return 0;
  if (std::isinf(mean)) return std::numeric_limits<double>::infinity();
  if (cost >= 2 * mean) return mean;
  const double part = cost / (2 * mean);
  return std::sqrt(2 * cost * mean) * (1 + std::sqrt(part) / 3 + part / 9) - cost;
}

double time_lost(const Saving& saving, double interval, double restart) {
  check(saving);
  mathematics::require_positive(interval, "work between states");
  mathematics::require_not_negative(restart, "a restart");
  const auto [cost, mean] = saving;
  if (std::isinf(mean)) return cost / interval;
  return mean * std::exp(restart / mean) * std::expm1((interval + cost) / mean) / interval - 1;
}

}  // namespace lbsp::model::survival
