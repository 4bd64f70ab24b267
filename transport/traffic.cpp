#include "transport/traffic.hpp"

namespace lbsp::transport {

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

}  // namespace lbsp::transport
