#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace lbsp::algorithms {

/// ‖values - reference‖ / ‖reference‖ in the Frobenius norm; 0 if they are equal and finite. NaN where either
/// holds a NaN or an infinity or they differ in length, so that `error <= bound` is false there.
template <class T>
double relative_error(std::span<const T> values, std::span<const T> reference);

/// How far an answer is from an independent one, and how far it may be.
struct Verification {
  double error = 0;  ///< relative_error()
  double bound = 0;

  bool passed() const { return error <= bound; }  // false for NaN
};

/// Compares a product, `inner` elements long in every sum, with another way to the same: rounding alone takes
/// them no further apart than inner·epsilon of T.
template <class T>
Verification verify_product(std::span<const T> values, std::span<const T> reference, std::size_t inner) {
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  return {relative_error(values, reference), static_cast<double>(inner) * epsilon};
}

}  // namespace lbsp::algorithms
