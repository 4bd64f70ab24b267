#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

namespace lbsp::algorithms {

/// X_k = Σ_j x_j e^(∓2πi jk/n): minus forward, plus inverse. Unscaled, as FFTW: inverse of forward is n · x.
enum class Direction { forward, inverse };

/// How FFTW plans: it estimates, or it measures, which takes up to some seconds and is worth it if a plan is
/// used often.
enum class Planning { estimate, measure };

/// A plan of FFTW for `count` transforms of `length` complex values each, on this rank alone and on one
/// thread. It is made once and used any number of times. T is float or double.
template <class T>
class LocalFft {
 public:
  /// Throws UsageError if a size is beyond FFTW's 32-bit integers. Several threads may make plans at once.
  LocalFft(std::size_t length, std::size_t count, Direction direction,
           Planning planning = Planning::estimate);
  LocalFft(const LocalFft&) = delete;
  LocalFft& operator=(const LocalFft&) = delete;
  ~LocalFft();

  /// Transforms in place. The transforms' values stand one after the other, `length · count` in all.
  void transform(std::span<std::complex<T>> values) const;

 private:
  struct Plan;
  std::size_t values_;
  std::unique_ptr<Plan> plan_;  ///< none if there is nothing to do
};

/// Transforms a whole matrix in place, by FFTW's own two-dimensional plan. Throws UsageError as above.
template <class T>
void fft2d_alone(std::span<std::complex<T>> matrix, std::size_t rows, std::size_t columns,
                 Direction direction);

}  // namespace lbsp::algorithms
