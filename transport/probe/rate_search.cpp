#include "transport/probe/rate_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lbsp::transport::probe {
namespace {

using transport::Duration;

// Long against the lateness of timers, short against a person's patience.
constexpr double train_seconds = 0.08;
constexpr double longest_train_seconds = 0.6;
constexpr double fewest_datagrams = 30;
constexpr double fewest_large_datagrams = 8;
// Fewer do not tell random loss from a queue's.
constexpr std::uint32_t many = 100;
constexpr double over_estimate = 1.25;

double excess_loss(const TrainSent& sent, const TrainSeen& seen, double usual) {
  return static_cast<double>(sent.count) * (1 - usual) - seen.received;
}

double deviation(const TrainSent& sent, double usual) {
  return std::sqrt(sent.count * usual * (1 - usual));
}

}  // namespace

RateSearch::RateSearch(const Start& start) : start_(start) {
  start_.most.value = std::min(start_.most.value, most_datagrams_per_second * start_.bytes);
  rate_ = std::min(start_.rate.value, start_.most.value);
}

std::optional<TrainPlan> RateSearch::next() const {
  if (over_) return std::nullopt;
  const double per_second = rate_ / start_.bytes;
  double count = std::max(train_seconds * per_second, fewest_datagrams);
  count = std::min(count, std::max(longest_train_seconds * per_second, fewest_large_datagrams));
  // A single datagram at a time is what a very slow path gets.
  const double gap = std::min(1e9 / per_second, 4e9);
  return TrainPlan{start_.bytes, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(gap)};
}

double RateSearch::usual_loss() const {
  if (start_.usual_loss) return *start_.usual_loss;
  return carried_sent_ == 0 ? 0 : static_cast<double>(carried_lost_) / static_cast<double>(carried_sent_);
}

bool RateSearch::overloaded(const TrainSent& sent, const TrainSeen& seen) const {
  const double queue = std::max(0.002, 0.08 * seconds(sent.span));
  if (seconds(seen.growth) > queue) return true;
  if (!start_.usual_loss && carried_sent_ == 0) return false;
  const double usual = usual_loss();
  return excess_loss(sent, seen, usual) > 4 * deviation(sent, usual) + 0.05 * sent.count + 1;
}

double RateSearch::estimate(const TrainSent& sent, const TrainSeen& seen) const {
  const double span = seconds(seen.span);
  if (seen.received < 2 || span <= 0) return 0;
  const double usual = usual_loss();
  const double counted = start_.bytes * (seen.received - 1.0) / span / (1 - usual);
  if (sent.count < many) {
    const bool enough = seen.neighbours >= 3 && seen.between.count() > 0;
    return enough ? start_.bytes * seen.neighbours / seconds(seen.between) : counted;
  }
  if (excess_loss(sent, seen, usual) > 2 * deviation(sent, usual) + 1) return counted;
  return start_.bytes * static_cast<double>(seen.last - seen.first) / span;
}

void RateSearch::take(const TrainSent& sent, const TrainSeen& seen) {
  ++trains_;
  if (seen.received < 2) {
    // Lost by chance, or the path takes none of this size; going down would not help against either.
    over_ = ++silent_ >= 3 || trains_ >= most_trains;
    return;
  }
  if (overloaded(sent, seen)) {
    take_overloaded(estimate(sent, seen));
  } else {
    take_carried(sent, seen);
  }
  over_ = over_ || trains_ >= most_trains;
}

void RateSearch::take_overloaded(double rate) {
  if (rate <= 0) return;
  estimates_.push_back(rate);
  // The first may have been far above, and only says where to look.
  const auto skipped = estimates_.size() > 1 ? 1 : 0;
  bandwidth_ = std::accumulate(estimates_.begin() + skipped, estimates_.end(), 0.0) /
               static_cast<double>(estimates_.size() - static_cast<std::size_t>(skipped));
  limited_ = false;
  over_ = static_cast<int>(estimates_.size()) > start_.confirmations;
  rate_ = std::min(over_estimate * bandwidth_, start_.most.value);
}

void RateSearch::take_carried(const TrainSent& sent, const TrainSeen& seen) {
  carried_sent_ += sent.count;
  carried_lost_ += sent.count - std::min(sent.count, seen.received);
  // A queue that was there and is gone was somebody else's, or loss by chance.
  if (!estimates_.empty()) growth_factor_ = over_estimate;
  estimates_.clear();
  const double span = seconds(sent.span);
  const double achieved = span > 0 ? start_.bytes * (sent.count - 1.0) / span : rate_;
  bandwidth_ = std::max(bandwidth_, std::min(achieved, start_.most.value));
  limited_ = true;
  if (rate_ >= start_.most.value || achieved < 0.75 * rate_) {
    over_ = true;
    return;
  }
  rate_ = std::min(growth_factor_ * rate_, start_.most.value);
}

}  // namespace lbsp::transport::probe
