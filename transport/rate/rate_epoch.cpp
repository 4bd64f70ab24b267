#include "transport/rate/rate_epoch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Timers and schedulers move single arrivals by a millisecond; over this time, summed over the peers, that
/// is a few per cent.
constexpr Duration least_time = 20ms;

constexpr double longest_runs = 30;
constexpr double most_variations = 32;

}  // namespace

bool EpochMeter::add(const TrainPart& part) {
  sum_.sent += part.sent;
  sum_.arrived += part.arrived;
  sum_.sending += part.sending;
  sum_.arriving += part.arriving;
  trains_ += part.opens ? 1 : 0;
  return sum_.sent >= packets_per_epoch && sum_.sending >= least_time;
}

/// Each train's time has the error of two delays.
RateEpoch EpochMeter::close() {
  const TrainPart sum = std::exchange(sum_, {});
  const double trains = std::max(std::exchange(trains_, 0U), 1U);
  ++epoch_;
  RateEpoch epoch;
  const auto sent = static_cast<double>(sum.sent);
  epoch.loss = 1 - std::min(1.0, static_cast<double>(sum.arrived) / sent);
  const double likely = std::clamp(epoch.loss, 0.01, 0.99);
  epoch.loss_error = std::sqrt(runs_ * likely * (1 - likely) / sent);
  epoch.delay = std::max(0.0, seconds(sum.arriving - sum.sending)) / trains;
  epoch.stretch = std::max(1.0, seconds(sum.arriving) / seconds(sum.sending));
  epoch.stretch_error = std::sqrt(2 * trains * jitter_variance_) / seconds(sum.sending);
  return epoch;
}

/// The second difference of delays that vary independently has six times their variance; what a queue that grows adds
/// to one interval, it adds to the next.
void EpochMeter::varied(Duration difference) {
  const double square = seconds(difference) * seconds(difference) / 6;
  variations_ = std::min(variations_ + 1, most_variations);
  jitter_variance_ += (square - jitter_variance_) / variations_;
}

/// Of a two-state Markov chain with the correlation r from one datagram to the next, the variance of a sum is
/// (1 + r) / (1 - r) times that of independent ones.
void EpochMeter::losses(double loss, double loss_after_loss) {
  if (loss <= 0 || loss >= 1) return;
  const double correlation = std::clamp((loss_after_loss - loss) / (1 - loss), 0.0, 0.95);
  const double runs = std::clamp((1 + correlation) / (1 - correlation), least_runs, longest_runs);
  runs_ += (runs - runs_) / 16;
}

}  // namespace lbsp::transport
