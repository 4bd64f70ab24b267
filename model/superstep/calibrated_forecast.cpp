#include "model/superstep/calibrated_forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "model/superstep/prediction.hpp"

namespace lbsp::model::superstep {
namespace {

/// Of so many residuals the least and the greatest bound nine of ten, …
constexpr std::size_t fewest = 19;
/// … and of so many the third ones.
constexpr std::size_t most = 59;
constexpr double adaptation = 0.02;
constexpr double least_left_out = -0.05;
constexpr double most_left_out = 0.2;
/// Times are told in nanoseconds.
constexpr double resolution = 1e-9;
constexpr double nearly_nothing = 1e-300;

/// The predicted spread counts for so many residuals.
constexpr double predicted_weight = 4;
/// A shift that few residuals have shown may be another by as much as this part of it.
constexpr double doubt_of_shift = 0.5;
/// As long as nothing else is known, kinds err alike that are so many powers of two apart, …
constexpr int near_kinds = 2;
/// … and so many of their residuals stand for those that lack.
constexpr std::size_t lent = 3;

/// The quantiles 1/20 … 19/20 of the normal distribution, as parts of the last one. They are not in order, because
/// those that come first are forgotten first, and that should be from both sides alike.
constexpr std::array<double, fewest> normal_scores{0.000,  0.319,  -0.319, 0.630,  -0.630, 0.154, -0.154,
                                                   0.512,  -0.512, 0.779,  -0.779, -0.076, 0.076, 0.410,
                                                   -0.410, -0.234, 0.234,  -1.000, 1.000};

/// The value at so large a part of those in ascending order; below the least one, as much lower as the rest suggests.
double quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() + 1);
  const double least = sorted.front();
  if (place < 1) return least - (1 - place) * (sorted[sorted.size() / 2] - least);
  const auto below = std::min(static_cast<std::size_t>(place), sorted.size() - 1);
  return sorted[below - 1] + (place - static_cast<double>(below)) * (sorted[below] - sorted[below - 1]);
}

/// The next share to be left out after one superstep was or was not.
double adapted(double share, double wanted, bool left_out) {
  return std::clamp(share + adaptation * (wanted - (left_out ? 1 : 0)), least_left_out, most_left_out);
}

double squares_about(const std::vector<double>& values, double center) {
  double sum = 0;
  for (const double each : values)
    sum += (each - center) * (each - center);
  return sum;
}

/// By how much supersteps take longer than predicted on average, and how much that varies.
struct Shift {
  double mean = 0;
  double deviation = 0;
};

/// The means of few residuals differ by chance: what that explains of the mean does not count (James and Stein, 1961).
/// So a mean that is far from chance counts as a whole, after one residual already.
Shift shift_of(const std::vector<double>& residuals, double predicted_deviation) {
  const auto count = static_cast<double>(residuals.size());
  if (residuals.empty()) return {0, predicted_deviation};
  double mean = 0;
  for (const double each : residuals)
    mean += each / count;
  const double lacking = std::max(0., 1 - count / fewest);
  const double weight = predicted_weight * lacking;
  const double prior = weight * predicted_deviation * predicted_deviation;
  const double by_chance = (prior + squares_about(residuals, mean)) / (weight + count - 1) / count;
  mean *= std::max(0., 1 - by_chance / std::max(mean * mean, nearly_nothing));
  const double doubt = lacking * doubt_of_shift * doubt_of_shift * mean * mean;
  const double variance = (prior + squares_about(residuals, mean) + doubt) / (weight + count);
  return {mean, std::sqrt(variance * (1 + 1 / count))};
}

}  // namespace

const CalibratedForecast::Like& CalibratedForecast::like(const Spread& predicted) const {
  static const Like unknown;
  const auto kind = kinds_.find(std::ilogb(predicted.mean));
  return kind == kinds_.end() ? unknown : kind->second;
}

const CalibratedForecast::Like* CalibratedForecast::nearest(int exponent) const {
  for (int far = 1; far <= near_kinds; ++far) {
    for (const int other : {exponent + far, exponent - far}) {
      const auto kind = kinds_.find(other);
      if (kind != kinds_.end()) return &kind->second;
    }
  }
  return nullptr;
}

/// What a superstep took beyond its prediction is expected of a longer one too, and of a shorter one in proportion:
/// hosts add the same to all, and what is wrong with a plan grows with it.
std::vector<double> CalibratedForecast::residuals_for(const Spread& predicted) const {
  std::vector<double> out;
  const auto add = [&](const Residual& each) {
    out.push_back(each.more * std::min(1., predicted.mean / each.predicted));
  };
  const std::deque<Residual>& own = like(predicted).residuals;
  const Like* const near = own.size() < lent ? nearest(std::ilogb(predicted.mean)) : nullptr;
  if (near != nullptr) {
    const std::size_t count = std::min(lent - own.size(), near->residuals.size());
    std::for_each(near->residuals.end() - static_cast<std::ptrdiff_t>(count), near->residuals.end(), add);
  }
  std::ranges::for_each(own, add);
  return out;
}

Spread CalibratedForecast::of(const Spread& predicted) const {
  std::vector<double> residuals = residuals_for(predicted);
  const double few = 1 + static_cast<double>(residuals.size());
  const double error = std::max(likely_error, first_error / few) * predicted.mean;
  const double earlier = std::hypot(predicted.mean - predicted.from, error);
  const double later = std::hypot(predicted.to - predicted.mean, error);
  const double deviation = std::max((earlier + later) / 2 / normal_95, resolution);
  const Shift shift = shift_of(residuals, deviation);
  const double wider = std::max(1., shift.deviation / deviation);
  for (std::size_t i = residuals.size(); i < fewest; ++i)
    residuals.push_back(shift.mean + wider * normal_scores[i] * (normal_scores[i] < 0 ? earlier : later));
  const Like& known = like(predicted);
  std::ranges::sort(residuals);
  const double from = quantile(residuals, known.below);
  std::ranges::reverse(residuals);
  for (double& each : residuals)
    each = -each;
  const double to = -quantile(residuals, known.above);
  return {std::max(0., predicted.mean + shift.mean), shift.deviation,
          std::max(0., predicted.mean + from - resolution), std::max(0., predicted.mean + to + resolution)};
}

void CalibratedForecast::learn(const Spread& predicted, double seconds) {
  const Spread given = of(predicted);
  Like& kind = kinds_[std::ilogb(predicted.mean)];
  kind.below = adapted(kind.below, outside, seconds < given.from);
  kind.above = adapted(kind.above, outside, seconds > given.to);
  kind.residuals.push_back({predicted.mean, seconds - predicted.mean});
  if (kind.residuals.size() > most) kind.residuals.pop_front();
}

}  // namespace lbsp::model::superstep
