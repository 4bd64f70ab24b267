#pragma once

namespace lbsp::model::paper {

/// A trial that is repeated round after round until it succeeds; the number of rounds is geometric. Both
/// logarithms are kept, because neither follows from the other where f is near 0 or 1.
struct RepeatedTrial {
  double log_failure;  ///< ln f, f the probability that one round fails. -infinity: it never does.
  double log_success;  ///< ln(1-f)

  static RepeatedTrial from_log_failure(double log_failure);
  static RepeatedTrial from_log_success(double log_success);
};

/// The rounds that the slowest of `count` independent trials takes. It needs at most i with probability
/// (1-f^i)^count. `count` may be real, 1 or more.
///
/// The expected number of rounds after the first: Σ_{i≥1} [1 - (1-f^i)^count]. The relative error is below
/// 1e-13 from 1e-300 up to counts of 1e18. It sums what is neither nearly certain nor nearly impossible, at
/// most 5/λ terms (λ = -ln f), the rest in closed form; for λ < 0.01, and for λ < 0.3 with 1000 trials or
/// more, it takes the expansion of the sum about λ = 0. Infinite where it overflows. At most some 30 µs,
/// less than 1 µs for f ≤ 0.51.
double slowest_extra_rounds(const RepeatedTrial& trial, double count);

/// The variance of the rounds. Relative error about 1e-11; cost up to 50/λ terms of the sum.
double slowest_rounds_variance(const RepeatedTrial& trial, double count);

}  // namespace lbsp::model::paper
