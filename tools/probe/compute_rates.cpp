#include "tools/probe/compute_rates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <fftw3.h>
#include <functional>
#include <memory>
#include <vector>

#include "tools/probe/blas_library.hpp"
#include "transport/impairment/random.hpp"
#include "transport/probe/statistics.hpp"

namespace lbsp::probe {
namespace {

constexpr int repetitions = 5;
constexpr std::size_t order = 512;
constexpr std::size_t keys = 1'000'000;
constexpr std::size_t points = std::size_t{1} << 18;
constexpr std::size_t side = 1024;

std::vector<double> random_numbers(std::size_t count) {
  transport::Random random(1);
  std::vector<double> numbers(count);
  std::ranges::generate(numbers, [&] { return random.unit(); });
  return numbers;
}

/// The median time of work(), in seconds; prepare() is not counted.
double median_seconds(const std::function<void()>& prepare, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i <= repetitions; ++i) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i > 0) times.push_back(taken.count());  // the first one warms up
  }
  return transport::probe::quantile(times, 0.5);
}

double dgemm_flops() {
  const auto a = random_numbers(order * order);
  const auto b = random_numbers(order * order);
  std::vector<double> c(order * order);
  const BlasLibrary blas;
  const double seconds = median_seconds([] {}, [&] { blas.multiply(order, a, b, c); });
  return 2.0 * order * order * order / seconds;
}

double sort_rate() {
  const auto unsorted = random_numbers(keys);
  std::vector<double> sorted;
  return static_cast<double>(keys) /
         median_seconds([&] { sorted = unsorted; }, [&] { std::ranges::sort(sorted); });
}

double fft_flops() {
  struct Free {
    void operator()(fftw_complex* memory) const { fftw_free(memory); }
    void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
  };
  const std::unique_ptr<fftw_complex, Free> data(fftw_alloc_complex(points));
  const std::unique_ptr<std::remove_pointer_t<fftw_plan>, Free> plan(
      fftw_plan_dft_1d(static_cast<int>(points), data.get(), data.get(), FFTW_FORWARD, FFTW_ESTIMATE));
  const auto input = random_numbers(2 * points);
  auto* const numbers = reinterpret_cast<double*>(data.get());
  const double seconds =
      median_seconds([&] { std::ranges::copy(input, numbers); }, [&] { fftw_execute(plan.get()); });
  return 5.0 * static_cast<double>(points) * std::log2(static_cast<double>(points)) / seconds;
}

double stencil_rate() {
  auto from = random_numbers(side * side);
  auto to = from;
  const double seconds =
      median_seconds([] {},
                     [&] {
                       for (std::size_t i = 1; i + 1 < side; ++i) {
                         const double* const row = from.data() + i * side;
                         double* const out = to.data() + i * side;
                         for (std::size_t j = 1; j + 1 < side; ++j)
                           out[j] = 0.25 * (row[j - 1] + row[j + 1] + row[j - side] + row[j + side]);
                       }
                       from.swap(to);
                     });
  return static_cast<double>((side - 2) * (side - 2)) / seconds;
}

}  // namespace

profile::ComputeRates measure_compute_rates() {
  return {dgemm_flops(), sort_rate(), fft_flops(), stencil_rate()};
}

}  // namespace lbsp::probe
