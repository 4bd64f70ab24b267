#include "transport/finder/rate_epoch.hpp"

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

constexpr double most_arrived_where_much_is_lost = 0.75;
constexpr double nearly_everywhere = 0.75;

constexpr double longest_runs = 30;
constexpr double most_variations = 32;

/// At a low rate: so many datagrams, and as many as go in so much time.
struct ShortEpoch {
  double datagrams;
  double seconds;
};
constexpr ShortEpoch of_found{64, 1};
constexpr ShortEpoch of_told{128, 2};

}  // namespace

/// Where losses come in runs, fewer datagrams tell as little as if there were less of them.
void EpochMeter::expect(BytesPerSecond rate, bool told) {
  constexpr double datagram_bytes = 1400;
  const ShortEpoch& least = told ? of_told : of_found;
  const double few =
      std::max(rate.value * least.seconds / datagram_bytes, least.datagrams) * runs_ / least_runs;
  packets_ = static_cast<std::uint64_t>(std::min(few, static_cast<double>(packets_per_epoch)));
}

bool EpochMeter::add(const TrainPart& part) {
  sum_.sent += part.sent;
  sum_.arrived += part.arrived;
  sum_.sending += part.sending;
  sum_.arriving += part.arriving;
  trains_ += part.opens ? 1 : 0;
  return timed();
}

bool EpochMeter::timed() const {
  return sum_.sent >= packets_ && sum_.sending >= least_time;
}

bool EpochMeter::add_untimed(std::uint64_t sent, std::uint64_t arrived, double heavy_loss, bool any_loss) {
  untimed_.sent += sent;
  untimed_.arrived += arrived;
  if (static_cast<double>(arrived) < most_arrived_where_much_is_lost * static_cast<double>(sent))
    untimed_.where_much_is_lost += sent;
  if (any_loss) return untimed_.sent + sum_.sent >= packets_;
  if (untimed_.sent < 2 * packets_per_epoch) return false;
  if (lacks_much_everywhere(heavy_loss)) return true;
  untimed_ = {};
  return false;
}

/// A queue that is too short for what is sent loses the end of every train; a path that loses datagrams in runs loses
/// all of some trains, and none of others.
bool EpochMeter::lacks_much_everywhere(double heavy_loss) const {
  const auto sent = static_cast<double>(untimed_.sent);
  return sent - static_cast<double>(untimed_.arrived) > heavy_loss * sent &&
         static_cast<double>(untimed_.where_much_is_lost) > nearly_everywhere * sent;
}

/// Each train's time has the error of two delays.
RateEpoch EpochMeter::close() {
  const Untimed untimed = std::exchange(untimed_, {});
  if (!timed()) {
    sum_ = {.sent = sum_.sent + untimed.sent, .arrived = sum_.arrived + untimed.arrived};
    sum_.sending = sum_.arriving = least_time;
  }
  const TrainPart sum = std::exchange(sum_, {});
  const double trains = std::max(std::exchange(trains_, 0U), 1U);
  ++epoch_;
  RateEpoch epoch;
  const auto sent = static_cast<double>(sum.sent);
  epoch.datagrams = sent;
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
