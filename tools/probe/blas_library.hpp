#pragma once

#include <cblas.h>
#include <cstddef>
#include <span>

namespace lbsp::probe {

/// OpenBLAS on one thread, loaded when it is first asked for and then kept. The commands are not linked to
/// it: it reserves tens of megabytes for each processor as soon as it is loaded, and never stops trying where
/// the process may not have them (`ulimit -v`).
class BlasLibrary {
 public:
  /// Throws SystemError if it is not installed, or there is no room for it.
  BlasLibrary();

  /// c = a b, for square matrices in row-major order.
  void multiply(std::size_t order, std::span<const double> a, std::span<const double> b,
                std::span<double> c) const;

 private:
  decltype(&cblas_dgemm) dgemm_;
};

}  // namespace lbsp::probe
