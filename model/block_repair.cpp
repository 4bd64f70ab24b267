#include "model/block_repair.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace lbsp::model {
namespace {

constexpr int repairs_looked_at = 4;
constexpr double rare = 1e-9;

/// P(i of `trials`), i = 0 …, each lost with `loss`, up to where the rest is rare.
std::vector<double> losses(int trials, double loss) {
  std::vector<double> probability(static_cast<std::size_t>(trials) + 1, 0.);
  const double ratio = loss / (1 - loss);
  double here = std::pow(1 - loss, trials);
  for (int i = 0; i <= trials; ++i) {
    probability[static_cast<std::size_t>(i)] = here;
    here *= ratio * (trials - i) / (i + 1);
    if (here < rare && i > trials * loss) break;
  }
  return probability;
}

/// The same with a variance `dispersion` times as large: as many fewer trials, each as many segments.
std::vector<double> losses(int trials, double loss, double dispersion) {
  if (dispersion <= 1.01) return losses(trials, loss);
  const double runs = std::max(1., trials / dispersion);
  const auto by_run = losses(static_cast<int>(std::lround(runs)), loss);
  const double length = trials / std::round(runs);
  std::vector<double> probability(static_cast<std::size_t>(trials) + 1, 0.);
  for (std::size_t i = 0; i < by_run.size(); ++i) {
    const double place = std::min<double>(static_cast<double>(i) * length, trials);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    probability[below] += by_run[i] * (1 - part);
    if (part > 0) probability[below + 1] += by_run[i] * part;
  }
  return probability;
}

double beyond(const std::vector<double>& probability, int most) {
  const auto from = static_cast<std::size_t>(most + 1);
  if (from >= probability.size()) return 0;
  return std::accumulate(probability.begin() + static_cast<std::ptrdiff_t>(from), probability.end(), 0.);
}

/// x with a probability of `residual` beyond it in the standard normal distribution: Abramowitz and Stegun,
/// 26.2.23, within 4.5e-4.
double normal_quantile(double residual) {
  if (residual >= 0.5) return 0;
  const double t = std::sqrt(-2 * std::log(residual));
  return t -
         (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/// One repair of blocks that lack d with probability lack[d]; leaves what they lack then.
RepairAttempt repair(std::vector<double>& lack, double loss, const RepairRule& rule, int earlier) {
  std::vector<double> next(lack.size(), 0.);
  RepairAttempt attempt;
  double all = 0;
  double nothing = 0;
  for (std::size_t d = 1; d < lack.size(); ++d) {
    if (lack[d] < rare) continue;
    const int sent = repairs_for(rule, static_cast<int>(d), earlier, loss);
    all += lack[d];
    attempt.sends += lack[d] * sent;
    const auto lost = losses(sent, loss);
    nothing += lack[d] * lost.back();
    for (std::size_t left = 1; left <= d; ++left) {
      // As many as `left` more are lost than were sent in excess.
      const std::size_t missed = static_cast<std::size_t>(sent) - d + left;
      if (missed < lost.size()) next[left] += lack[d] * lost[missed];
    }
  }
  if (all > 0) attempt.sends /= all;
  const double still = std::accumulate(next.begin() + 1, next.end(), 0.);
  if (all > 0) attempt.still = still / all;
  if (still > 0) attempt.seen = std::max(0., 1 - nothing / still);
  lack = std::move(next);
  return attempt;
}

}  // namespace

int repair_segments_for(int lacking, double loss, double residual) {
  if (loss <= 0) return lacking;
  const double z = normal_quantile(residual);
  // N(1-p) - z·√(N·p·(1-p)) ≥ d - 1/2, solved for √N.
  const double wanted = lacking - 0.5;
  const double root =
      (z * std::sqrt(loss) + std::sqrt(z * z * loss + 4 * wanted)) / (2 * std::sqrt(1 - loss));
  const double approximate = std::ceil(root * root - 1e-9);
  // For one or two segments the exact value, p^N ≤ residual, is as easy.
  const double exact = lacking == 1 ? std::ceil(std::log(residual) / std::log(loss) - 1e-9) : approximate;
  return std::max(lacking, static_cast<int>(exact));
}

int repairs_for(const RepairRule& rule, int lacking, int earlier, double loss) {
  const double residual = earlier == 0 ? rule.first_residual : rule.later_residual;
  if (residual > 0) return repair_segments_for(lacking, loss, residual);
  if (lacking > rule.few) return lacking;
  return lacking * (earlier == 0 ? rule.first_factor : rule.later_factor);
}

BlockOutcome block_outcome(int data, int coded, double loss, double dispersion, const RepairRule& rule) {
  BlockOutcome outcome;
  if (loss <= 0) {
    outcome.lacking_after.assign(static_cast<std::size_t>(coded) + 1, 0.);
    outcome.repairs = {{1, 0}};
    return outcome;
  }
  const int shown = std::min(coded, 24);  // grids are no finer
  std::vector<double> lost;
  for (int step = 0; step <= shown; ++step) {
    const int i = shown == 0 ? coded : coded * step / shown;
    lost = losses(data + i, loss, dispersion);
    outcome.lacking_after.push_back(beyond(lost, i));
  }
  std::vector<double> lack(static_cast<std::size_t>(data) + 1, 0.);
  for (std::size_t d = 1; d < lack.size(); ++d) {
    const std::size_t missed = static_cast<std::size_t>(coded) + d;
    if (missed < lost.size()) lack[d] = lost[missed];
  }
  const double all = std::accumulate(lack.begin(), lack.end(), 0.);
  for (double& each : lack)
    each /= std::max(all, 1e-300);
  for (int i = 0; i < repairs_looked_at; ++i) {
    const RepairAttempt attempt = repair(lack, loss, rule, i);
    if (attempt.sends == 0) break;
    outcome.repairs.push_back(attempt);
  }
  if (outcome.repairs.empty()) outcome.repairs.push_back({1, loss});
  return outcome;
}

}  // namespace lbsp::model
