#include "transport/core/own_loss.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "transport/core/loss_estimate.hpp"

namespace lbsp::transport {
namespace {

/// A queue is none if it is shorter than this, or than this part of the round trip: half of what counts as one that
/// stands.
constexpr Duration shortest_queue = std::chrono::microseconds{1500};
constexpr int queues_in_round_trip = 20;

/// Datagrams that met no queue lose less than all if the difference is as large as this, and so many standard
/// deviations, of losses that come in runs.
constexpr double least_difference = 0.03;
constexpr double certain_difference = 3;
constexpr double variance_of_runs = 3;

std::uint16_t fraction(double part) {
  return static_cast<std::uint16_t>(std::lround(std::clamp(part, 0.0, 1.0) * UINT16_MAX));
}

}  // namespace

/// Both ends of the interval count: a queue that was full at its beginning may have dropped what is missing.
void OwnLoss::add(const QueueSample& sample, Duration round_trip) {
  const Duration none = std::max<Duration>(shortest_queue, round_trip / queues_in_round_trip);
  const Duration before = std::exchange(queue_before_, sample.queue);
  if (std::max(before, sample.queue) > none) return;
  const auto datagrams = static_cast<double>(sample.datagrams);
  const double fade = std::pow(1 - 1 / LossEstimate::memory, datagrams);
  datagrams_ = datagrams_ * fade + datagrams;
  lost_ = std::max(0.0, lost_ * fade + datagrams - static_cast<double>(sample.arrived));
}

OwnLoss::Seen OwnLoss::of(const Seen& all) const {
  // Laplace's rule of succession, so that few datagrams say little.
  const double known = datagrams_ + 2;
  const double loss = (lost_ + 1) / known;
  const double difference = from_fraction(all.report.loss) - loss;
  const double deviation = std::sqrt(variance_of_runs * loss * (1 - loss) / known);
  if (difference < std::max(least_difference, certain_difference * deviation)) return all;
  const std::uint16_t own = fraction(lost_ / std::max(datagrams_, 1.0));
  return {{own, own}, static_cast<std::uint64_t>(datagrams_)};
}

}  // namespace lbsp::transport
