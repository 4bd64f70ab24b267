#include "model/superstep/block_repair.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/mathematics/special_functions.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr int repairs_looked_at = 4;
constexpr double rare = 1e-9;
/// A dispersion up to here is none.
constexpr double independent = 1.01;

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
  if (dispersion <= independent) return losses(trials, loss);
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
  const auto from = static_cast<std::size_t>(most) + 1;
  if (from >= probability.size()) return 0;
  return std::accumulate(probability.begin() + static_cast<std::ptrdiff_t>(from), probability.end(), 0.);
}

/// The numbers of coded segments for which an outcome says how likely the block is to lack something: grids
/// are no finer.
std::vector<int> shown_of(int coded) {
  const int steps = std::min(coded, 24);
  std::vector<int> shown;
  shown.reserve(static_cast<std::size_t>(steps) + 1);
  for (int step = 0; step <= steps; ++step)
    shown.push_back(steps == 0 ? coded : coded * step / steps);
  return shown;
}

/// The block is complete with its (data + i)-th segment, and not before, with C(data+i-1, i)·p^i·(1-p)^data.
std::vector<double> lacking_after(int data, const std::vector<int>& shown, double loss) {
  std::vector<double> lacking;
  lacking.reserve(shown.size());
  double here = std::pow(1 - loss, data);
  double left = 1 - here;
  int i = 0;
  for (const int coded : shown) {
    for (; i < coded; left -= here) {
      here *= loss * (data + i) / (i + 1);
      ++i;
    }
    lacking.push_back(std::max(0., left));
  }
  return lacking;
}

std::vector<double> lacking_after(int data, const std::vector<int>& shown, double loss, double dispersion) {
  if (dispersion <= independent) return lacking_after(data, shown, loss);
  std::vector<double> lacking;
  lacking.reserve(shown.size());
  for (const int coded : shown)
    lacking.push_back(beyond(losses(data + coded, loss, dispersion), coded));
  return lacking;
}

/// The N of which d arrive except with the probability that the standard normal distribution has beyond z:
/// N(1-p) - z·√(N·p·(1-p)) ≥ d - 1/2, solved for √N.
double sends_for(int lacking, double loss, double z) {
  const double wanted = lacking - 0.5;
  const double root =
      (z * std::sqrt(loss) + std::sqrt(z * z * loss + 4 * wanted)) / (2 * std::sqrt(1 - loss));
  return std::ceil(root * root - 1e-9);
}

}  // namespace

int repairs_for(const RepairRule& rule, int lacking, int earlier, double loss) {
  if (loss <= 0) return lacking;
  const double residual = earlier == 0 ? rule.first_residual : rule.later_residual;
  const double approximate = sends_for(lacking, loss, mathematics::normal_quantile(residual));
  // For one segment the exact value, p^N ≤ residual, is as easy.
  const double exact = lacking == 1 ? std::ceil(std::log(residual) / std::log(loss) - 1e-9) : approximate;
  return std::max(lacking, static_cast<int>(exact));
}

int most_coded_segments(const RepairRule& rule, int data, double blocks, double loss, double dispersion) {
  if (loss <= 0 || rule.spare_residual >= 1) return 0;
  const double residual = rule.spare_residual / std::max(blocks, 1.);
  const double z = std::sqrt(dispersion) * mathematics::normal_quantile(residual);
  int coded = static_cast<int>(sends_for(data, loss, z)) - data;
  // The normal distribution has too short a tail.
  while (dispersion <= independent && mathematics::binomial_more_than(data + coded, loss, coded) > residual)
    ++coded;
  return coded;
}

double dispersion_of(const Path& path) {
  const double runs = path.lost_again() > path.loss ? (1 - path.loss) / (1 - path.lost_again()) : 1;
  // Runs of losses of this mean length make the number lost vary that much more (a Markov chain's variance).
  return std::max(1., 2 * runs - 1);
}

const BlockOutcomes::Repair& BlockOutcomes::repair_of(int lacking, int earlier) {
  std::vector<Repair>& repairs = repairs_[earlier == 0 ? 0 : 1];
  const auto index = static_cast<std::size_t>(lacking);
  if (repairs.size() <= index) repairs.resize(index + 1);
  Repair& repair = repairs[index];
  if (!repair.leaves.empty()) return repair;
  const int sent = repairs_for(rule_, lacking, earlier, loss_);
  const std::vector<double> lost = losses(sent, loss_);
  repair.sends = sent;
  repair.nothing = lost.back();
  repair.leaves.assign(index + 1, 0.);
  // As many as `left` more are lost than were sent in excess.
  for (std::size_t left = 1; left <= index; ++left)
    repair.leaves[left] = lost[static_cast<std::size_t>(sent) - index + left];
  return repair;
}

/// One repair of blocks that lack d with probability lack[d]; leaves what they lack then.
RepairAttempt BlockOutcomes::repair(std::vector<double>& lack, int earlier) {
  std::vector<double> next(lack.size(), 0.);
  RepairAttempt attempt;
  double all = 0;
  double nothing = 0;
  for (std::size_t d = 1; d < lack.size(); ++d) {
    if (lack[d] < rare) continue;
    const Repair& repair = repair_of(static_cast<int>(d), earlier);
    all += lack[d];
    attempt.sends += lack[d] * repair.sends;
    nothing += lack[d] * repair.nothing;
    for (std::size_t left = 1; left <= d; ++left)
      next[left] += lack[d] * repair.leaves[left];
  }
  if (all > 0) attempt.sends /= all;
  const double still = std::accumulate(next.begin() + 1, next.end(), 0.);
  if (all > 0) attempt.still = still / all;
  if (still > 0) attempt.seen = std::max(0., 1 - nothing / still);
  lack = std::move(next);
  return attempt;
}

BlockOutcome BlockOutcomes::outcome(int data, int coded) {
  BlockOutcome outcome;
  if (loss_ <= 0) {
    outcome.lacking_after.assign(static_cast<std::size_t>(coded) + 1, 0.);
    outcome.repairs = {{1, 0}};
    return outcome;
  }
  outcome.lacking_after = lacking_after(data, shown_of(coded), loss_, dispersion_);
  const std::vector<double> lost = losses(data + coded, loss_, dispersion_);
  const auto spare = static_cast<std::size_t>(coded);
  const double all = beyond(lost, coded);
  std::vector<double> lack;
  for (std::size_t d = 0; d <= static_cast<std::size_t>(data) && spare + d < lost.size(); ++d) {
    // From the mode on it only becomes rarer; runs of losses leave gaps.
    if (d > 0 && dispersion_ <= independent && lost[spare + d] < rare * all &&
        lost[spare + d] < lost[spare + d - 1])
      break;
    lack.push_back(d == 0 ? 0 : lost[spare + d] / std::max(all, 1e-300));
  }
  for (int i = 0; i < repairs_looked_at; ++i) {
    const RepairAttempt attempt = repair(lack, i);
    if (attempt.sends == 0) break;
    outcome.repairs.push_back(attempt);
  }
  if (outcome.repairs.empty()) outcome.repairs.push_back({1, loss_});
  return outcome;
}

const BlockOutcome& BlockOutcomes::of(int data, int coded) {
  const auto place = known_.try_emplace({data, coded});
  if (place.second) place.first->second = outcome(data, coded);
  return place.first->second;
}

}  // namespace lbsp::model::superstep
