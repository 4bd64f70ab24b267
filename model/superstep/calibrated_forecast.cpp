#include "model/superstep/calibrated_forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

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

}  // namespace

CalibratedForecast::Like CalibratedForecast::begin(const Spread& predicted) {
  Like out;
  for (const double score : normal_scores)
    out.residuals.push_back(score *
                            (score < 0 ? predicted.mean - predicted.from : predicted.to - predicted.mean));
  return out;
}

Spread CalibratedForecast::around(const Spread& predicted, const Like& like) {
  std::vector<double> residuals(like.residuals.begin(), like.residuals.end());
  double sum = 0;
  double squares = 0;
  for (const double each : residuals)
    sum += each;
  const double mean = sum / static_cast<double>(residuals.size());
  for (const double each : residuals)
    squares += (each - mean) * (each - mean);
  std::ranges::sort(residuals);
  const double from = quantile(residuals, like.below);
  std::ranges::reverse(residuals);
  for (double& each : residuals)
    each = -each;
  const double to = -quantile(residuals, like.above);
  return {std::max(0., predicted.mean + mean), std::sqrt(squares / static_cast<double>(residuals.size() - 1)),
          std::max(0., predicted.mean + from - resolution), std::max(0., predicted.mean + to + resolution)};
}

Spread CalibratedForecast::of(const Spread& predicted) const {
  const auto kind = kinds_.find(std::ilogb(predicted.mean));
  if (kind != kinds_.end()) return around(predicted, kind->second);
  Spread out = around(predicted, begin(predicted));
  // Quantiles stand for residuals, and their mean for nothing.
  out.mean = predicted.mean;
  return out;
}

void CalibratedForecast::learn(const Spread& predicted, double seconds) {
  Like& like = kinds_.try_emplace(std::ilogb(predicted.mean), begin(predicted)).first->second;
  const Spread given = around(predicted, like);
  like.below = adapted(like.below, outside, seconds < given.from);
  like.above = adapted(like.above, outside, seconds > given.to);
  like.residuals.push_back(seconds - predicted.mean);
  const std::size_t kept = std::clamp(++like.learnt, fewest, most);
  while (like.residuals.size() > kept)
    like.residuals.pop_front();
}

}  // namespace lbsp::model::superstep
