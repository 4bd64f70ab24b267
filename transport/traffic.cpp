#include "transport/traffic.hpp"

namespace lbsp::transport {
namespace {

/// Every counter, once: sums and differences go through this list, so that none is forgotten.
constexpr std::uint64_t TrafficCounters::*all_counters[] = {&TrafficCounters::datagrams_sent,
                                                            &TrafficCounters::segments_sent,
                                                            &TrafficCounters::copies_sent,
                                                            &TrafficCounters::segments_resent,
                                                            &TrafficCounters::datagrams_received,
                                                            &TrafficCounters::segments_duplicate,
                                                            &TrafficCounters::datagrams_rejected,
                                                            &TrafficCounters::payload_bytes_sent,
                                                            &TrafficCounters::payload_bytes_received,
                                                            &TrafficCounters::wire_bytes_sent,
                                                            &TrafficCounters::rounds};
static_assert(sizeof(TrafficCounters) ==
              sizeof(all_counters) / sizeof(all_counters[0]) * sizeof(std::uint64_t));

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

}  // namespace lbsp::transport
