#include "lbsp/dataflow/running/transfer_cost.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace lbsp::dataflow::running {
namespace {

/// Loss above this leaves the model nothing to compare.
constexpr double most_loss = 0.9;

Ticks ticks(double seconds) {
  return std::max<Ticks>(0, std::llround(seconds * 1e9));
}

bool is_near(double left, double right, double least) {
  return std::abs(left - right) <= std::max(least, 0.1 * std::max(left, right));
}

bool is_near(const CollectiveNetwork& left, const CollectiveNetwork& right) {
  return is_near(left.loss, right.loss, 0.002) &&
         is_near(left.round_trip_seconds, right.round_trip_seconds, 1e-5) &&
         is_near(left.bytes_per_second, right.bytes_per_second, 1) &&
         left.datagram_bytes == right.datagram_bytes;
}

}  // namespace

CollectiveNetwork TransferCost::network_of(const transport::NetworkMeasure& measured) const {
  CollectiveNetwork network = assumed_;
  if (measured.loss_sample > 0) network.loss = std::clamp(measured.loss, 0., most_loss);
  if (measured.round_trip_time.count() > 0)
    network.round_trip_seconds = std::chrono::duration<double>(measured.round_trip_time).count();
  if (measured.rate.value > 0) {
    network.bytes_per_second = measured.rate.value;
  } else if (measured.bandwidth.value > 0) {
    network.bytes_per_second = measured.bandwidth.value;
  }
  network.datagram_bytes = measured.shortest_datagram;
  return network;
}

Transfer TransferCost::of(const transport::NetworkMeasure& measured) {
  if (measured.shortest_datagram == 0) return memory_;
  const CollectiveNetwork network = network_of(measured);
  if (known_ && is_near(network, last_)) return cost_;
  known_ = true;
  last_ = network;
  const auto seconds = [&](std::uint64_t messages, std::uint64_t bytes) {
    const SuperstepOutline outline{messages, messages, bytes};
    return expected_seconds(std::span(&outline, 1), ranks_, network);
  };
  constexpr std::uint64_t small = 1;
  constexpr std::uint64_t large = 1'000'000;
  const double nothing = seconds(0, 0);
  const double first = seconds(1, small);
  nothing_ = ticks(nothing);
  cost_.latency = ticks(first - nothing);
  cost_.per_million_bytes = ticks(seconds(1, large) - first);
  return cost_;
}

}  // namespace lbsp::dataflow::running
