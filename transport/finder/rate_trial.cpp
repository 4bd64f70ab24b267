#include "transport/finder/rate_trial.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

/// Of what had been missed: a fall has helped if so much more comes through.
constexpr double least_gain_of_fall = 0.15;
/// After so many epochs without certainty, it has not.
constexpr int longest_trial = 3;

double through(BytesPerSecond rate, const RateEpoch& at) {
  return rate.value * (1 - at.loss) / at.stretch;
}

}  // namespace

RateTrial::Verdict RateTrial::add(const RateEpoch& epoch, const UsualPath& usual, const LowerRate& lower) {
  if (deep) return deep->add(usual.carried(epoch, lower.told ? usual.loss() : 0));
  return lower.told ? of_told(usual.carried(epoch)) : of_found(epoch, usual, lower);
}

RateTrial::Verdict RateTrial::of_found(const RateEpoch& epoch, const UsualPath& usual,
                                       const LowerRate& lower) const {
  const double kept = through(lower.rate, epoch) / through(before, seen);
  const double fallen = lower.rate.value / before.value;
  if (kept > (1 + fallen) / 2) return Verdict::right;
  const bool tells = usual.no_queue() && (lower.policed || fallen <= HeavyLoss::part_on_trial);
  return tells && loses_less(epoch, usual.loss()) ? Verdict::right : Verdict::mistaken;
}

RateTrial::Verdict RateTrial::of_told(const PartSeen& now) {
  ++epochs;
  since.part += (now.part - since.part) / epochs;
  since.error += (now.error - since.error) / epochs;
  const double gain = since.part - carried.part;
  const double error = std::hypot(since.error / std::sqrt(epochs), carried.error);
  const double least = least_gain_of_fall * (1 - carried.part);
  if (gain > std::max(least, certainty * error)) return Verdict::right;
  return gain > std::max(least, error) && epochs < longest_trial ? Verdict::open : Verdict::mistaken;
}

bool RateTrial::loses_less(const RateEpoch& epoch, double usual_loss) const {
  const double chance = std::hypot(seen.loss_error, epoch.loss_error);
  return seen.loss - epoch.loss > std::max(certainty * chance, least_gain_of_fall * (seen.loss - usual_loss));
}

bool RateTrial::was_too_high(const RateEpoch& epoch) const {
  const double chance = certainty * std::hypot(seen.loss_error, epoch.loss_error);
  return seen.loss - epoch.loss > std::max(loss_of_failure, chance);
}

}  // namespace lbsp::transport
