#include "model/paper/slowest_trial.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/mathematics/special_functions.hpp"

namespace lbsp::model::paper {
namespace {

// count·f^i above this: 1 - (1-f^i)^count is 1 in a double (e^-40 = 4e-18).
constexpr double certain = 40;
// count·f^i below this: the binomial series of (1-f^i)^count converges in about ten terms without
// cancellation.
constexpr double rare = 0.25;
constexpr double negligible = 1e-17;

/// Σ_{i≥first} [1 - (1-f^i)^count] for count·f^first ≤ rare, as Σ_j (-1)^(j+1) C(count, j) f^(j·first) /
/// (1-f^j).
double rare_rounds(double log_failure, double count, double first) {
  const double f = std::exp(log_failure);
  const double y = std::exp(log_failure * first);
  double sum = 0;
  double coefficient = count * y;
  double power = f;
  for (int j = 1; coefficient != 0; ++j) {
    const double rest = f < 0.9 ? 1 - power : -std::expm1(j * log_failure);
    const double term = coefficient / rest;
    sum += term;
    if (std::abs(term) <= negligible * std::abs(sum)) break;
    coefficient *= -(count - j) / (j + 1) * y;
    power *= f;
  }
  return sum;
}

bool near_continuous(double lambda, double count) {
  return lambda < 0.01 || (lambda < 0.3 && count >= 1000);
}

/// Σ_{i≥1} i^power [1 - (1-e^(-iλ))^count] differs from its integral by ζ(-power) and these terms, one for
/// each power of x in the expansion of (1-e^-x)^count = x^c (1 - c/2 x + (c/6 + c(c-1)/8) x² - …) about 0.
double zeta_terms(double lambda, double c, double power) {
  if (c > 60) return 0;
  return -std::pow(lambda, c) *
         (mathematics::zeta(-power - c) - c / 2 * lambda * mathematics::zeta(-power - c - 1) +
          (c / 6 + c * (c - 1) / 8) * lambda * lambda * mathematics::zeta(-power - c - 2));
}

double smooth_variance(double lambda, double count) {
  const double zero = zeta_terms(lambda, count, 0);
  const double first = zeta_terms(lambda, count, 1);
  return mathematics::harmonic_of_squares(count) / (lambda * lambda) + 1. / 12 + 2 * first -
         2 * zero * mathematics::harmonic(count) / lambda - zero * zero;
}

/// The probability that more than `rounds` ≥ 1 rounds are needed: 1 - (1-f^rounds)^count.
double slowest_exceeds(const RepeatedTrial& trial, double count, double rounds) {
  return -std::expm1(count * mathematics::log_one_minus_exp(rounds * trial.log_failure));
}

}  // namespace

RepeatedTrial RepeatedTrial::from_log_failure(double log_failure) {
  return {log_failure, mathematics::log_one_minus_exp(log_failure)};
}

RepeatedTrial RepeatedTrial::from_log_success(double log_success) {
  return {mathematics::log_one_minus_exp(log_success), log_success};
}

double slowest_extra_rounds(const RepeatedTrial& trial, double count) {
  const double lambda = -trial.log_failure;
  if (std::isinf(lambda)) return 0;
  if (count == 1) return std::exp(trial.log_failure - trial.log_success);
  if (near_continuous(lambda, count))
    return mathematics::harmonic(count) / lambda - 0.5 + zeta_terms(lambda, count, 0);
  double round = std::max(0., std::floor(std::log(count / certain) / lambda));  // needed almost surely
  double sum = round;
  // From here each round is needed with a probability that differs from 0 and 1.
  // count / rare may overflow.
  const double end = std::ceil((std::log(count) - std::log(rare)) / lambda);
  for (round += 1; round < end; round += 1)
    sum += slowest_exceeds(trial, count, round);
  return sum + rare_rounds(trial.log_failure, count, round);
}

double slowest_rounds_variance(const RepeatedTrial& trial, double count) {
  const double lambda = -trial.log_failure;
  if (std::isinf(lambda)) return 0;
  if (count == 1) return std::exp(trial.log_failure - 2 * trial.log_success);
  if (near_continuous(lambda, count)) return smooth_variance(lambda, count);
  // About a round near the median, so that a variance far below 1 keeps its digits.
  const double centre = std::max(0., std::floor((std::log(count) - std::log(std::numbers::ln2)) / lambda));
  double mean = 0;
  double square = 0;
  for (double round = centre; round >= 1; round -= 1) {
    const double earlier = std::exp(count * mathematics::log_one_minus_exp(round * trial.log_failure));
    if (earlier < negligible * square) break;
    mean -= earlier;
    square += (2 * (centre - round) + 1) * earlier;
  }
  for (double round = centre + 1;; round += 1) {
    const double later = slowest_exceeds(trial, count, round);
    mean += later;
    square += (2 * (round - centre) - 1) * later;
    if (2 * (round - centre) * later <= 1e-4 * negligible * square) break;
  }
  return square - mean * mean;
}

}  // namespace lbsp::model::paper
