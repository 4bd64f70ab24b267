#include "transport/probe/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport::probe {

Interval wilson_interval(std::uint64_t events, std::uint64_t trials, double burst) {
  constexpr double z = 1.959963984540054;  // of the normal distribution, 2.5 % on each side
  if (trials == 0) return {};
  const double seen = static_cast<double>(events) / static_cast<double>(trials);
  const double n = static_cast<double>(trials) / std::max(1., 2 * burst * (1 - seen) - 1);
  const double middle = (seen + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z * std::sqrt(seen * (1 - seen) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  // Rounding must not put the interval beside what was seen.
  return {events == 0 ? 0 : std::max(0.0, middle - half),
          events == trials ? 1 : std::min(1.0, middle + half)};
}

double quantile(std::vector<double>& sample, double fraction) {
  if (sample.empty()) return 0;
  const double place = fraction * static_cast<double>(sample.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  std::nth_element(sample.begin(), sample.begin() + below, sample.end());
  const double lower = sample[static_cast<std::size_t>(below)];
  if (below + 1 == static_cast<std::ptrdiff_t>(sample.size())) return lower;
  const double upper = *std::min_element(sample.begin() + below + 1, sample.end());
  return lower + (place - static_cast<double>(below)) * (upper - lower);
}

}  // namespace lbsp::transport::probe
