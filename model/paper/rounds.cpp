#include "model/paper/rounds.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "model/mathematics/require.hpp"
#include "model/mathematics/special_functions.hpp"
#include "model/paper/slowest_trial.hpp"

namespace lbsp::model::paper {
namespace {

/// What fails and is repeated, and how many of it there are.
struct Repetition {
  RepeatedTrial trial;
  double count;
};

/// ln f, f = 1 - (1-u)² = u(2-u): the probability that the packet or its acknowledgement is lost with all its
/// copies.
double log_data_or_acknowledgement_lost(double log_u) {
  const double direct = log_u + std::log1p(-std::expm1(log_u));  // 2-u = 1 - expm1(ln u)
  if (direct <= -std::numbers::ln2) return direct;
  const double success = std::expm1(log_u);
  return std::log1p(-success * success);
}

Repetition repetition(Scheme scheme, double loss, int copies, double packets) {
  mathematics::require_count(packets, "packets");
  const double log_u = log_all_copies_lost(loss, copies);
  switch (scheme) {
    case Scheme::whole_round:
      return {RepeatedTrial::from_log_success(2 * packets * mathematics::log_one_minus_exp(log_u)), 1};
    case Scheme::rounds:
      return {
          RepeatedTrial{log_data_or_acknowledgement_lost(log_u), 2 * mathematics::log_one_minus_exp(log_u)},
          packets};
    case Scheme::receiver:
      break;
  }
  return {RepeatedTrial::from_log_failure(log_u), packets};
}

ExpectedRounds rounds_of(const Repetition& repetition) {
  const double extra = slowest_extra_rounds(repetition.trial, repetition.count);
  if (std::isfinite(extra)) return {extra, std::log1p(extra)};
  // f differs from 1 by less than a double can tell: λ = 1-f, and all but H_c/λ vanishes beside it.
  return {extra, std::log(mathematics::harmonic(repetition.count)) - repetition.trial.log_success};
}

}  // namespace

double log_all_copies_lost(double loss, int copies) {
  mathematics::require_loss(loss);
  mathematics::require_copies(copies);
  return loss == 0 ? -std::numeric_limits<double>::infinity() : copies * std::log(loss);
}

ExpectedRounds expected_rounds(Scheme scheme, double loss, int copies, double packets) {
  const Repetition what = repetition(scheme, loss, copies, packets);
  if (scheme != Scheme::whole_round) return rounds_of(what);
  const double log_rounds = 0 - what.trial.log_success;
  return {std::expm1(log_rounds), log_rounds};
}

double rounds_variance(Scheme scheme, double loss, int copies, double packets) {
  const Repetition what = repetition(scheme, loss, copies, packets);
  return slowest_rounds_variance(what.trial, what.count);
}

ExpectedRounds expected_rounds_whole_round_by_rank(double loss, int copies, double packets, double ranks) {
  mathematics::require_count(packets, "packets");
  mathematics::require_count(ranks, "nodes");
  const double log_u = log_all_copies_lost(loss, copies);
  const double log_success = 2 * packets / ranks * mathematics::log_one_minus_exp(log_u);
  return rounds_of({RepeatedTrial::from_log_success(log_success), ranks});
}

}  // namespace lbsp::model::paper
