#pragma once

#include <cstddef>
#include <span>

namespace lbsp::algorithms {

/// The sizes of a product: C (rows × columns) = A (rows × inner) · B (inner × columns).
struct ProductShape {
  std::size_t rows = 0;
  std::size_t inner = 0;
  std::size_t columns = 0;

  double flops() const {
    return 2. * static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(columns);
  }
};

/// Computes c += a · b on this rank alone, by the BLAS. All three matrices stand row by row without gaps. T
/// is float or double. Throws UsageError if a size is beyond the BLAS's 32-bit integers, and SystemError if there is no
/// room for the BLAS's buffer. Where there is for fewer than the threads that call, some wait for others.
template <class T>
void add_product(const ProductShape& shape, std::span<const T> a, std::span<const T> b, std::span<T> c);

}  // namespace lbsp::algorithms
