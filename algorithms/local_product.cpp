#include "algorithms/local_product.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <limits>
#include <sys/mman.h>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

blasint blas_size(std::size_t size) {
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<blasint>::max());
  if (size <= largest) return static_cast<blasint>(size);
  throw UsageError(
      fmt::format("a block of {} rows or columns is beyond the BLAS's {}: use more ranks", size, largest));
}

/// OpenBLAS takes a buffer of such a length for each thread that computes. If the system has no room for it, OpenBLAS
/// asks again for ever, here or in a thread of its own, for which this one then waits.
void check_room_for_buffer() {
  constexpr std::size_t bytes = (std::size_t{128} << 20) + 4096;
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    throw SystemError(
        "no memory for the buffers of OpenBLAS, 128 MiB of addresses for each of its threads: raise the limit of "
        "memory (ulimit -v), or set OPENBLAS_NUM_THREADS=1");
  ::munmap(room, bytes);
}

/// Later calls of a thread use its buffer again.
void check_room_at_first() {
  thread_local bool checked = false;
  if (!checked) check_room_for_buffer();
  checked = true;
}

}  // namespace

template <class T>
void add_product(const ProductShape& shape, std::span<const T> a, std::span<const T> b, std::span<T> c) {
  const blasint m = blas_size(shape.rows);
  const blasint k = blas_size(shape.inner);
  const blasint n = blas_size(shape.columns);
  if (m == 0 || k == 0 || n == 0) return;
  check_room_at_first();
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
