#include "transport/paths/loss_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "transport/loss_prior.hpp"

namespace lbsp::transport {
namespace {

/// A longer gap is not told from an interruption, and must not outweigh all that was measured.
constexpr std::uint64_t longest_gap = 1000;
/// How many losses must have been followed before their successors' fate counts as much as independence.
constexpr double independence_weight = 10;

std::uint16_t to_fraction(double part, double whole) {
  if (whole <= 0) return 0;
  return static_cast<std::uint16_t>(std::lround(std::clamp(part / whole, 0.0, 1.0) * UINT16_MAX));
}

/// If none of so many was lost, nothing goes in advance against losses. Copies may cost no time, but others on the
/// links may need what they take; and if something is lost later, that tells.
constexpr double enough_without_loss = 300;

/// For how many datagrams a report of `sample` stands.
double weight(std::uint64_t sample) {
  return std::min(static_cast<double>(sample), LossEstimate::memory);
}

}  // namespace

void LossEstimate::newest_arrived(std::uint64_t lost) {
  const auto gap = static_cast<double>(std::min(lost, longest_gap));
  const double fade = gap == 0 ? 1 - 1 / memory : std::pow(1 - 1 / memory, gap + 1);
  datagrams_ = datagrams_ * fade + gap + 1;
  lost_ = lost_ * fade + gap;
  // A run of g lost is followed by one that arrived: g followers, of which all but that one were lost.
  after_loss_ = after_loss_ * fade + gap;
  lost_after_loss_ = lost_after_loss_ * fade + std::max(0.0, gap - 1);
}

void LossEstimate::late_arrived() {
  lost_ = std::max(0.0, lost_ - 1);
  if (after_loss_ < 1) {
    after_loss_ = lost_after_loss_ = 0;
    return;
  }
  lost_after_loss_ -= lost_after_loss_ / after_loss_;
  after_loss_ -= 1;
}

void LossEstimate::limit(double most) {
  if (lost_ > most * datagrams_) scale_losses(most * datagrams_ / lost_);
}

void LossEstimate::doubt(double datagrams) {
  if (datagrams_ <= datagrams) return;
  scale_losses(datagrams / datagrams_);
  datagrams_ = datagrams;
}

void LossEstimate::scale_losses(double part) {
  lost_ *= part;
  after_loss_ *= part;
  lost_after_loss_ *= part;
}

LossReport LossEstimate::report() const {
  if (lost_ == 0 && after_loss_ == 0) return {};
  return {to_fraction(lost_, datagrams_), to_fraction(lost_after_loss_, after_loss_)};
}

PathForecast with_prior(const LossReport& report, std::uint64_t sample, const PathForecast& prior) {
  PathForecast path = prior;
  const double datagrams = weight(sample);
  const double measured = from_fraction(report.loss);
  path.loss =
      (prior.loss * prior.loss_sample + measured * datagrams) / std::max(1.0, prior.loss_sample + datagrams);
  const double losses = measured * datagrams;
  const double dependence = std::max(0.0, prior.loss_after_loss - prior.loss);
  const double prior_after = std::min(1.0, path.loss + dependence);
  const double prior_weight = independence_weight + prior.loss * prior.loss_sample;
  path.loss_after_loss =
      (prior_after * prior_weight + from_fraction(report.loss_after_loss) * losses) / (prior_weight + losses);
  path.loss_sample = datagrams;
  return path;
}

PathForecast default_prior() {
  PathForecast prior;
  prior.loss = prior.loss_after_loss = loss_prior.loss;
  prior.loss_sample = loss_prior.datagrams;
  return prior;
}

PathForecast prior_with_past(PathForecast prior, const LossReport& report, std::uint64_t packets,
                             std::uint64_t lost) {
  const double forgotten = static_cast<double>(packets) - weight(packets);
  const double lost_of_them =
      std::max(0., static_cast<double>(lost) - weight(packets) * from_fraction(report.loss));
  const double loss =
      (prior.loss * prior.loss_sample + lost_of_them) / std::max(1., prior.loss_sample + forgotten);
  if (loss >= prior.loss) return prior;
  prior.loss_after_loss = std::min(1., loss + std::max(0., prior.loss_after_loss - prior.loss));
  prior.loss = loss;
  return prior;
}

void SharedLoss::add(const LossReport& report, std::uint64_t sample) {
  datagrams_ += weight(sample);
  lost_ += weight(sample) * from_fraction(report.loss);
}

PathForecast SharedLoss::prior_beside(const LossReport& report, std::uint64_t sample) const {
  PathForecast prior = default_prior();
  const double others = datagrams_ - weight(sample);
  const double lost = std::max(0., lost_ - weight(sample) * from_fraction(report.loss));
  prior.loss = (prior.loss * prior.loss_sample + lost) / (prior.loss_sample + others);
  prior.loss_after_loss = prior.loss;
  return prior;
}

/// Bayes' rule. Under the default prior, the Beta distribution with a = 1 and b = `arrived`, n datagrams all arrive
/// with the probability b / (b + n).
double SharedLoss::loses_anything() const {
  if (lost_ > 0) return 1;
  if (datagrams_ >= enough_without_loss) return 0;
  const double arrived = (1 - loss_prior.loss) * loss_prior.datagrams;
  return 2 * arrived / (2 * arrived + datagrams_);
}

}  // namespace lbsp::transport
