#include "algorithms/local_fft.hpp"

#include <fftw3.h>
#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

/// FFTW's planner has state that all threads of a process share; only executing is safe without a lock.
std::mutex planner;

int fftw_size(std::size_t size) {
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (size <= largest) return static_cast<int>(size);
  throw UsageError(fmt::format(
      "a transform of {} rows or columns on one rank is beyond FFTW's {}: use more ranks, or a smaller grid",
      size, largest));
}

int sign_of(Direction direction) {
  return direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
}

unsigned flags_of(Planning planning) {
  return planning == Planning::estimate ? FFTW_ESTIMATE : FFTW_MEASURE;
}

/// FFTW's names for its two precisions.
template <class T>
struct Fftw;

template <>
struct Fftw<double> {
  using Handle = fftw_plan;
  static fftw_complex* pointer(std::complex<double>* values) {
    return reinterpret_cast<fftw_complex*>(values);
  }
  static constexpr auto plan_many = fftw_plan_many_dft;
  static constexpr auto plan_2d = fftw_plan_dft_2d;
  static constexpr auto execute = fftw_execute_dft;
  static constexpr auto destroy = fftw_destroy_plan;
};

template <>
struct Fftw<float> {
  using Handle = fftwf_plan;
  static fftwf_complex* pointer(std::complex<float>* values) {
    return reinterpret_cast<fftwf_complex*>(values);
  }
  static constexpr auto plan_many = fftwf_plan_many_dft;
  static constexpr auto plan_2d = fftwf_plan_dft_2d;
  static constexpr auto execute = fftwf_execute_dft;
  static constexpr auto destroy = fftwf_destroy_plan;
};

}  // namespace

template <class T>
struct LocalFft<T>::Plan {
  explicit Plan(typename Fftw<T>::Handle made) : handle(made) {
    if (handle == nullptr) throw SystemError("FFTW made no plan: give it more memory, or a smaller grid");
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    const std::lock_guard lock(planner);
    Fftw<T>::destroy(handle);
  }

  typename Fftw<T>::Handle handle;
};

template <class T>
LocalFft<T>::LocalFft(std::size_t length, std::size_t count, Direction direction, Planning planning)
    : values_(length * count) {
  const int n = fftw_size(length);
  const int many = fftw_size(count);
  if (values_ == 0) return;
  // Planning by measure writes into what it is given. Any memory from new is aligned as the caller's is.
  std::vector<std::complex<T>> scratch(planning == Planning::measure ? values_ : 1);
  auto* const memory = Fftw<T>::pointer(scratch.data());
  typename Fftw<T>::Handle handle = nullptr;
  {
    const std::lock_guard lock(planner);
    handle = Fftw<T>::plan_many(1, &n, many, memory, nullptr, 1, n, memory, nullptr, 1, n, sign_of(direction),
                                flags_of(planning));
  }
  plan_ = std::make_unique<Plan>(handle);
}

template <class T>
LocalFft<T>::~LocalFft() = default;

template <class T>
void LocalFft<T>::transform(std::span<std::complex<T>> values) const {
  if (values.size() != values_) {
    throw UsageError(fmt::format("a transform planned for {} values was given {}: give as many as planned",
                                 values_, values.size()));
  }
  if (plan_)
    Fftw<T>::execute(plan_->handle, Fftw<T>::pointer(values.data()), Fftw<T>::pointer(values.data()));
}

template <class T>
void fft2d_alone(std::span<std::complex<T>> matrix, std::size_t rows, std::size_t columns,
                 Direction direction) {
  const int m = fftw_size(rows);
  const int n = fftw_size(columns);
  if (matrix.size() != rows * columns) {
    throw UsageError(fmt::format("a matrix of {} x {} was given {} elements: give all of them, row by row",
                                 rows, columns, matrix.size()));
  }
  if (matrix.empty()) return;
  auto* const memory = Fftw<T>::pointer(matrix.data());
  const std::lock_guard lock(planner);
  const auto plan = Fftw<T>::plan_2d(m, n, memory, memory, sign_of(direction), FFTW_ESTIMATE);
  if (plan == nullptr) throw SystemError("FFTW made no plan: give it more memory, or a smaller grid");
  Fftw<T>::execute(plan, memory, memory);
  Fftw<T>::destroy(plan);
}

template class LocalFft<float>;
template class LocalFft<double>;
template void fft2d_alone(std::span<std::complex<float>>, std::size_t, std::size_t, Direction);
template void fft2d_alone(std::span<std::complex<double>>, std::size_t, std::size_t, Direction);

}  // namespace lbsp::algorithms
