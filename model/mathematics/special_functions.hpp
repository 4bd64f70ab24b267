#pragma once

#include <cmath>

namespace lbsp::model::mathematics {

/// The functions of mathematics that the formulas need and the standard library lacks. All relative errors
/// are a few units of the last place where no other is given.

/// H_c = 1 + 1/2 + … + 1/c, continued to real c ≥ 0 by the digamma function.
double harmonic(double c);

/// 1 + 1/4 + … + 1/c², continued to real c ≥ 0 by the trigamma function.
double harmonic_of_squares(double c);

/// Riemann's ζ(s), s ≠ 1.
double zeta(double s);

/// W of Lambert for x ≥ 0: the y with y·e^y = x.
double lambert_w(double x);

/// The probability that of `trials` independent ones, each true with `probability`, more than `most` are
/// true: I_p(most + 1, trials - most), the regularised incomplete beta function. Relative error about 1e-12
/// down to 1e-190, which 1 minus a sum would not have.
double binomial_more_than(int trials, double probability, int most);

/// ln(1 - e^x) for x < 0, exact for x near 0 and far from it.
double log_one_minus_exp(double x);

/// ln(1 - x) for x in [0, 1], with a relative error of 1e-10: for small x much quicker than std::log1p.
inline double log_of_rest(double x) {
  return x < 1e-5 ? -x * (1 + x / 2) : std::log1p(-x);
}

}  // namespace lbsp::model::mathematics
