#include "transport/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

/// The spread of the sum of two times that vary independently; of what lasts for ever, the longest.
Duration spread_of_both(Duration a, Duration b) {
  if (b == Duration{0}) return a;  // as everywhere in memory, where each superstep's time counts
  constexpr double most = 9e18;    // of 64 bits of nanoseconds
  const double both = std::hypot(static_cast<double>(a.count()), static_cast<double>(b.count()));
  return Duration{static_cast<Duration::rep>(std::round(std::min(both, most)))};
}

}  // namespace

TrafficCounters& TrafficCounters::operator+=(const TrafficCounters& other) {
  for (const auto counter : all_counters)
    this->*counter += other.*counter;
  return *this;
}

TrafficCounters operator-(TrafficCounters left, const TrafficCounters& right) {
  for (const auto counter : all_counters)
    left.*counter -= right.*counter;
  return left;
}

Forecast& Forecast::operator+=(const Forecast& next) {
  duration += next.duration;
  earlier = spread_of_both(earlier, next.earlier);
  later = spread_of_both(later, next.later);
  most_copies = std::max(most_copies, next.most_copies);
  return *this;
}

}  // namespace lbsp::transport
