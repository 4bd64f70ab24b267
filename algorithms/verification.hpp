#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <span>

namespace lbsp::algorithms {

/// ‖values - reference‖ / ‖reference‖ in the Frobenius norm; 0 if they are equal and finite. NaN if either
/// holds a NaN or an infinity, or if they differ in length, so that `error <= bound` is then false.
template <class T>
double relative_error(std::span<const T> values, std::span<const T> reference);

/// How far an answer is from an independent one, and how far it may be.
struct Verification {
  double error = 0;  ///< relative_error()
  double bound = 0;

  bool passed() const { return error <= bound; }  // false for NaN
};

/// Compares a product, each element of which is a sum of `inner` terms, with the same product computed in
/// another way. Rounding alone takes the two no further apart than inner·epsilon of T.
template <class T>
Verification verify_product(std::span<const T> values, std::span<const T> reference, std::size_t inner) {
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  return {relative_error(values, reference), static_cast<double>(inner) * epsilon};
}

/// The real and imaginary parts of complex numbers, one after the other.
template <class T>
std::span<const T> parts_of(std::span<const std::complex<T>> values) {
  return {reinterpret_cast<const T*>(values.data()), 2 * values.size()};
}

/// Compares a Fourier transform of N values with the same transform computed in another way. Both are within
/// O(epsilon log2 N) of the truth in the Frobenius norm, with a constant below 1 for FFTW's
/// (fftw.org/accuracy).
template <class T>
Verification verify_transform(std::span<const std::complex<T>> values,
                              std::span<const std::complex<T>> reference) {
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const double levels = std::log2(std::max(2., static_cast<double>(reference.size())));
  return {relative_error(parts_of(values), parts_of(reference)), 2 * epsilon * levels};
}

/// Σ|x|². NaN or infinite if a value is not finite.
template <class T>
double energy(std::span<const std::complex<T>> values) {
  long double sum = 0;
  for (const T part : parts_of(values))
    sum += static_cast<long double>(part) * static_cast<long double>(part);
  return static_cast<double>(sum);
}

/// Checks Parseval's theorem: the transform X of x has Σ|X|² = ratio · Σ|x|². `ratio` is N for the forward
/// transform, and 1/N for the inverse that is divided by N.
template <class T>
Verification verify_energy(std::span<const std::complex<T>> input, std::span<const std::complex<T>> output,
                           double ratio) {
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const double levels = std::log2(std::max(2., static_cast<double>(input.size())));
  const double expected = ratio * energy(input);
  const double found = energy(output);
  const double error = found == expected && std::isfinite(found) ? 0 : std::abs(found - expected) / expected;
  return {error, 4 * epsilon * levels};
}

}  // namespace lbsp::algorithms
