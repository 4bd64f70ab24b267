#include "algorithms/verification.hpp"

#include <cmath>

namespace lbsp::algorithms {

template <class T>
double relative_error(std::span<const T> values, std::span<const T> reference) {
  if (values.size() != reference.size()) return std::numeric_limits<double>::quiet_NaN();
  // Squares of any finite double fit a long double.
  long double difference = 0;
  long double norm = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const long double expected = reference[i];
    const long double error = values[i] - expected;
    difference += error * error;
    norm += expected * expected;
  }
  if (difference == 0) return 0;
  // A NaN has a sign, too, with which it would be printed.
  return std::abs(static_cast<double>(std::sqrt(difference / norm)));
}

template double relative_error(std::span<const float>, std::span<const float>);
template double relative_error(std::span<const double>, std::span<const double>);

}  // namespace lbsp::algorithms
