#include "transport/finder/path_loss.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

/// Loss that is the rate's is about the same in all epochs. That of a queue that others fill and empty is not.
constexpr double deviations_of_steady = 2;
/// Then others have come, or gone.
constexpr double far_apart = 0.2;
constexpr double deviations_far_apart = 3;
constexpr double memory_of_own = 32;  ///< epochs
/// What chance is expected to do counts as much as so many epochs.
constexpr double weight_of_expected = 2;
constexpr double least_epochs_to_vary = 4;
/// Of one epoch that lost nothing, more might have been lost.
constexpr double least_likely = 0.002;
constexpr double certainty_of_most_own = 2.5;
constexpr double certainty_of_less = 2;

}  // namespace

void LossMean::add(const RateEpoch& epoch, double longest) {
  epochs = std::min(epochs + 1, longest);
  squares *= 1 - 1 / longest;
  if (epochs > 1) {
    const double difference = epoch.loss - newest;
    squares += difference * difference / 2;
  }
  newest = epoch.loss;
  loss += (epoch.loss - loss) / epochs;
  variance_expected += (epoch.loss_error * epoch.loss_error - variance_expected) / epochs;
  datagrams += (epoch.datagrams - datagrams) / epochs;
}

void LossMean::add(const LossMean& more) {
  const double part = more.epochs / std::max(more.epochs + epochs, 1.0);
  squares += more.squares;
  newest = more.newest;
  loss += (more.loss - loss) * part;
  variance_expected += (more.variance_expected - variance_expected) * part;
  datagrams += (more.datagrams - datagrams) * part;
  epochs += more.epochs;
}

/// Of few epochs, what each of them expects. That lags behind what others do, so of more it is what they differ by, but
/// no less than if each datagram was lost for itself.
double LossMean::error() const {
  if (epochs == 0) return 0;
  if (epochs < least_epochs_to_vary) {
    const double of_one =
        (weight_of_expected * variance_expected + squares) / (weight_of_expected + epochs - 1);
    return std::sqrt(of_one / epochs);
  }
  const double likely = std::max(loss, least_likely);
  const double least = likely * (1 - likely) / std::max(datagrams, 1.0);
  return std::sqrt(std::max(squares / (epochs - 1), least) / epochs);
}

double LossMean::least_error() const {
  return std::min(error(), std::sqrt(variance_expected / std::max(epochs, 1.0)));
}

bool PathLoss::exceeded_by(const LossMean& more, double certainty) const {
  return more.loss - seen.loss > std::max(least_excess, certainty * std::hypot(more.error(), seen.error()));
}

bool PathLoss::may_be_exceeded_by(const LossMean& more, double certainty) const {
  return more.loss - seen.loss >
         std::max(least_excess, certainty * std::hypot(more.least_error(), seen.error()));
}

void PathLoss::find(const LossMean& found) {
  seen = found;
  most = 1;
  age = 0;
  limit();
}

void PathLoss::ask() {
  lasts *= 2;
  age = 0;
}

void PathLoss::answer(const LossMean& lower) {
  const double chance = std::hypot(lower.error(), seen.error());
  if (seen.loss - lower.loss > std::max(least_excess, certainty_of_less * chance)) seen = {};
  most = 1;
  seen.add(lower);
  limit();
}

void PathLoss::take(const RateEpoch& epoch) {
  seen.add(epoch, memory_of_own);
  limit();
}

void PathLoss::limit() {
  most = std::min(most, seen.loss + certainty_of_most_own * seen.error());
  seen.loss = std::min(seen.loss, most);
}

LossMean RecentLoss::mean() const {
  LossMean mean;
  for (std::size_t age = std::min(count_, epochs_.size()); age > 0; --age)
    mean.add(epochs_[(count_ - age) % epochs_.size()]);
  return mean;
}

LossMean RecentLoss::last() const {
  LossMean last;
  last.add(newest());
  return last;
}

bool RecentLoss::steady() const {
  const double least = mean().loss;
  return std::ranges::all_of(epochs_, [least](const RateEpoch& epoch) {
    return epoch.loss + deviations_of_steady * epoch.loss_error > least;
  });
}

bool RecentLoss::alike() const {
  const double least = mean().loss;
  return steady() && std::ranges::all_of(epochs_, [least](const RateEpoch& epoch) {
           return epoch.loss - deviations_of_steady * epoch.loss_error < least;
         });
}

/// Others have come, or gone, if that differs far from what was lost until now: then it is another path.
void RecentLoss::add(const RateEpoch& epoch) {
  if (count_ > 0 &&
      std::abs(epoch.loss - mean().loss) > std::max(far_apart, deviations_far_apart * epoch.loss_error))
    count_ = 0;
  epochs_[count_++ % epochs_.size()] = epoch;
}

}  // namespace lbsp::transport
