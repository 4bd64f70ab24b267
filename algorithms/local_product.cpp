#include "algorithms/local_product.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <limits>

#include "algorithms/blas_buffers.hpp"
#include "transport/error.hpp"
#include "transport/process/address_room.hpp"

namespace lbsp::algorithms {
namespace {

blasint blas_size(std::size_t size) {
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<blasint>::max());
  if (size <= largest) return static_cast<blasint>(size);
  throw UsageError(
      fmt::format("a block of {} rows or columns is beyond the BLAS's {}: use more ranks", size, largest));
}

/// What OpenBLAS takes for each thread that computes.
constexpr std::size_t buffer_bytes = (std::size_t{128} << 20) + 4096;

BlasBuffers& buffers_of_this_process() {
  static BlasBuffers buffers(
      [](int more) { return transport::has_address_room(static_cast<std::size_t>(more) * buffer_bytes); });
  return buffers;
}

}  // namespace

template <class T>
void add_product(const ProductShape& shape, std::span<const T> a, std::span<const T> b, std::span<T> c) {
  const blasint m = blas_size(shape.rows);
  const blasint k = blas_size(shape.inner);
  const blasint n = blas_size(shape.columns);
  if (m == 0 || k == 0 || n == 0) return;
  const BlasBuffers::Use use(buffers_of_this_process());
  if constexpr (sizeof(T) == sizeof(float)) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 1, c.data(),
                n);
  } else {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 1, c.data(),
                n);
  }
}

template void add_product(const ProductShape&, std::span<const float>, std::span<const float>,
                          std::span<float>);
template void add_product(const ProductShape&, std::span<const double>, std::span<const double>,
                          std::span<double>);

}  // namespace lbsp::algorithms
