#include "transport/simulated/active_queue.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration codel_target = 5ms;
constexpr Duration codel_interval = 100ms;

constexpr Duration pie_target = 15ms;
constexpr Duration pie_period = 15ms;
constexpr Duration pie_allowance = 150ms;

/// How much smaller PIE's steps are while its probability is small (RFC 8033, section 4.2).
double step_scale(double probability) {
  constexpr std::array<std::pair<double, double>, 6> scales{{{0.000001, 1.0 / 2048},
                                                             {0.00001, 1.0 / 512},
                                                             {0.0001, 1.0 / 128},
                                                             {0.001, 1.0 / 32},
                                                             {0.01, 1.0 / 8},
                                                             {0.1, 1.0 / 2}}};
  for (const auto& [below, scale] : scales) {
    if (probability < below) return scale;
  }
  return 1;
}

}  // namespace

bool ActiveQueue::signals(Instant now, Duration wait) {
  switch (rule_) {
    case ActiveQueueRule::codel:
      return codel_signals(now + wait, wait);
    case ActiveQueueRule::pie:
      return pie_signals(now, wait);
    case ActiveQueueRule::none:
      break;
  }
  return false;
}

bool ActiveQueue::stands(Instant leaves, Duration wait) {
  if (wait < codel_target) {
    standing_since_ = never;
    return false;
  }
  if (standing_since_ == never) standing_since_ = leaves;
  return leaves >= standing_since_ + codel_interval;
}

Instant ActiveQueue::after_signal(Instant time) const {
  return time + std::chrono::duration_cast<Duration>(codel_interval / std::sqrt(signals_));
}

bool ActiveQueue::codel_signals(Instant leaves, Duration wait) {
  const bool standing = stands(leaves, wait);
  if (!signalling_) {
    if (!standing) return false;
    signalling_ = true;
    const std::uint32_t more = signals_ - signals_before_;
    const bool lately = leaves - next_signal_ < 16 * codel_interval;
    signals_ = lately && more > 1 ? more : 1;
    signals_before_ = signals_;
    next_signal_ = after_signal(leaves);
    return true;
  }
  if (!standing) {
    signalling_ = false;
    return false;
  }
  if (leaves < next_signal_) return false;
  ++signals_;
  next_signal_ = after_signal(next_signal_);
  return true;
}

void ActiveQueue::update_probability(Duration wait) {
  constexpr double alpha = 0.125;
  constexpr double beta = 1.25;
  const double step = alpha * seconds(wait - pie_target) + beta * seconds(wait - last_wait_);
  probability_ += step_scale(probability_) * step;
  if (wait == Duration{0} && last_wait_ == Duration{0}) probability_ *= 0.98;
  probability_ = std::clamp(probability_, 0.0, 1.0);
  last_wait_ = wait;
  allowance_ = std::max(allowance_ - pie_period, Duration{0});
}

bool ActiveQueue::pie_signals(Instant now, Duration wait) {
  // Updates that were due while nothing came found no queue: after a second of them nothing is left of the past.
  if (next_update_ < now - 1s) {
    next_update_ = now;
    probability_ = 0;
  }
  while (next_update_ <= now) {
    update_probability(wait);
    next_update_ += pie_period;
  }
  if (probability_ == 0 && wait < pie_target / 2 && last_wait_ < pie_target / 2) allowance_ = pie_allowance;
  if (allowance_ > Duration{0}) return false;
  if (last_wait_ < pie_target / 2 && probability_ < 0.2) return false;
  return random_.happens(probability_);
}

}  // namespace lbsp::transport
