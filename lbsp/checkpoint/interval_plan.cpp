#include "lbsp/checkpoint/interval_plan.hpp"

#include <algorithm>
#include <cmath>

#include "model/survival/interval.hpp"

namespace lbsp::checkpoint {
namespace {

constexpr std::uint64_t least = 2;
constexpr std::uint64_t most = std::uint64_t{1} << 50;
constexpr double usual_rate = 12.5e6;  // bytes per second: 100 Mbit/s

}  // namespace

std::uint64_t next_interval(std::uint64_t now, const SavingMeasure& measure, double between_failures) {
  if (!(measure.step > 0)) return now;
  const double best = model::survival::best_interval({measure.cost, between_failures}) / measure.step;
  const std::uint64_t shortest = std::max(least, now / 2);
  const std::uint64_t longest = std::clamp(2 * std::min(now, most), shortest, most);
  return static_cast<std::uint64_t>(
      std::llround(std::clamp(best, static_cast<double>(shortest), static_cast<double>(longest))));
}

std::optional<std::uint64_t> best_interval(const SavingMeasure& measure, double between_failures) {
  if (!(measure.step > 0)) return std::nullopt;
  const double best = model::survival::best_interval({measure.cost, between_failures}) / measure.step;
  return static_cast<std::uint64_t>(
      std::llround(std::clamp(best, static_cast<double>(least), static_cast<double>(most))));
}

double expected_cost(double bytes, double rate) {
  return bytes / (rate > 0 ? rate : usual_rate);
}

std::optional<double> forecast_part(std::uint64_t interval, const SavingMeasure& measure,
                                    double between_failures) {
  if (!(measure.step > 0) || interval == 0) return std::nullopt;
  const double work = measure.step * static_cast<double>(interval);
  const double part = model::survival::time_lost({measure.cost, between_failures}, work, 0);
  return std::isfinite(part) ? std::optional(part) : std::nullopt;
}

}  // namespace lbsp::checkpoint
