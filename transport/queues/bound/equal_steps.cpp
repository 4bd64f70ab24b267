#include "transport/queues/bound/equal_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

/// What is added in a round without a queue, of the rate at most and at least so much. It is the same for everybody, so
/// who has less gains on who has more; on links so fast that the least part is longer it is not.
constexpr double step_bytes_per_second = 0.75e6 / 8;
/// After so many rounds without a queue the link has more for everybody: steps become longer faster.
constexpr double rounds_of_equal_steps = 3;
constexpr double least_step = 0.01;

/// Growth that is noise, as is what single delays change by.
constexpr double least_noise = 0.01;
constexpr double shortest_sending = 1e-3;  // seconds
constexpr double weight_of_shrinking = 0.125;
/// What is left of earlier sums with each queue, and how many queues have to be in them.
constexpr double memory = 0.75;
constexpr int least_queues = 2;
/// So little growth tells nothing.
constexpr double least_growth_of_steps = 0.02;

/// Who has more than this, in shares, gives the rest back, and keeps this part at least …
constexpr double too_much = 1 / 0.9;
constexpr double least_kept = 0.5;
/// … and who has so much less takes this part of what is missing.
constexpr double too_little = 1 / 1.1;
constexpr double part_taken = 0.25;
constexpr double most_taken = 1.15;

}  // namespace

double EqualSteps::after(const QueueSeen& seen, bool whole, double most) {
  if (rounds_ > 0) {
    const double shrinks = std::min(seen.growth, 0.0);
    shrinking_ += weight_of_shrinking * (shrinks * shrinks - shrinking_);
  }
  last_rate_ = whole ? seen.rate : 0;
  last_growth_ = std::max(seen.growth, 0.0);
  const double step = std::clamp(step_bytes_per_second / seen.rate, least_step, most_step);
  const double rounds = std::max(1, rounds_++);
  const double steps = rounds * std::max(1., rounds / rounds_of_equal_steps);
  return std::min(step * steps, most);
}

void EqualSteps::end(const QueueSeen& seen) {
  rounds_ = 0;
  const double before = std::exchange(last_rate_, 0);
  if (before <= 0 || seen.rate <= before) return;
  const double noise = std::max(least_noise, seen.jump / std::max(seen.sending, shortest_sending));
  // Of the difference of two, each of which is as often above what it should be.
  const double chance = 2 * std::sqrt(shrinking_);
  steps_ = memory * steps_ + seen.rate - before;
  growth_ = memory * growth_ + seen.growth - last_growth_;
  noise_ = memory * noise_ + noise;
  most_noise_ = memory * most_noise_ + std::max(noise, chance);
  ++queues_;
}

void EqualSteps::begin_anew() {
  rounds_ = 0;
  last_rate_ = 0;
}

double EqualSteps::part_to_keep(double carried) const {
  if (queues_ < least_queues || growth_ - noise_ < least_growth_of_steps) return 1;
  const double sure_growth = growth_ - most_noise_;
  const double most_fair = sure_growth > 0 ? steps_ / sure_growth : carried;
  if (carried > too_much * most_fair) return std::max(least_kept, most_fair / carried);
  const double least_fair = steps_ / (growth_ + noise_);
  if (carried < too_little * least_fair)
    return std::min(most_taken, 1 + part_taken * (too_little * least_fair / carried - 1));
  return 1;
}

}  // namespace lbsp::transport
