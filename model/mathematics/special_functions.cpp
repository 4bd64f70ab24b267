#include "model/mathematics/special_functions.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <boost/math/special_functions/zeta.hpp>
#include <cmath>
#include <numbers>

namespace lbsp::model::mathematics {

double harmonic(double c) {
  return boost::math::digamma(c + 1) + std::numbers::egamma;
}

double harmonic_of_squares(double c) {
  return std::numbers::pi * std::numbers::pi / 6 - boost::math::trigamma(c + 1);
}

double zeta(double s) {
  return boost::math::zeta(s);
}

double lambert_w(double x) {
  return boost::math::lambert_w0(x);
}

double binomial_more_than(int trials, double probability, int most) {
  if (most < 0) return 1;
  if (most >= trials || probability <= 0) return 0;
  return boost::math::ibeta(static_cast<double>(most) + 1, static_cast<double>(trials - most), probability);
}

double normal_quantile(double rest) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(2 * rest);
}

double log_one_minus_exp(double x) {
  return x > -std::numbers::ln2 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

}  // namespace lbsp::model::mathematics
