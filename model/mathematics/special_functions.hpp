#pragma once

#include <cmath>

namespace lbsp::model::mathematics {

/// Mathematical functions that the formulas need and the standard library lacks. Relative errors are a few
/// units in the last place unless stated otherwise.

/// H_c = 1 + 1/2 + … + 1/c, continued to real c ≥ 0 by the digamma function.
double harmonic(double c);

/// 1 + 1/4 + … + 1/c², continued to real c ≥ 0 by the trigamma function.
double harmonic_of_squares(double c);

/// Riemann's ζ(s), s ≠ 1.
double zeta(double s);

/// Lambert's W for x ≥ 0: the y with y·e^y = x.
double lambert_w(double x);

/// The probability that more than `most` of `trials` independent trials succeed, each with `probability`:
/// I_p(most + 1, trials - most), the regularised incomplete beta function. The relative error is about 1e-12
/// down to 1e-190, which 1 minus a sum would not achieve.
double binomial_more_than(int trials, double probability, int most);

/// The x beyond which the standard normal distribution has a probability of `rest`, in (0, 1).
double normal_quantile(double rest);

/// ln(1 - e^x) for x < 0, exact for x near 0 and far from it.
double log_one_minus_exp(double x);

/// ln(1 - x) for x in [0, 1], with a relative error of 1e-10. For small x it is much faster than std::log1p.
inline double log_of_rest(double x) {
  return x < 1e-5 ? -x * (1 + x / 2) : std::log1p(-x);
}

}  // namespace lbsp::model::mathematics
