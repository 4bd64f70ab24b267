#pragma once

namespace lbsp::model {

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

}  // namespace lbsp::model
