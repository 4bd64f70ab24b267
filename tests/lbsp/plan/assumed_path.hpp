#pragma once

#include <chrono>

#include "transport/redundancy.hpp"
#include "transport/wire/format.hpp"

/// The datagrams and paths that the tests of the planner assume.
namespace lbsp::plan {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t datagram_bytes = 1400;
constexpr std::uint64_t segment_bytes = datagram_bytes - data_overhead_bytes;

inline PathForecast path(double loss, Duration round_trip = 70ms, double samples = 10'000) {
  return {loss, loss, samples, round_trip, Duration{0}};
}

}  // namespace lbsp::plan
