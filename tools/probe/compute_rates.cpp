#include "tools/probe/compute_rates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <fftw3.h>
#include <fmt/format.h>
#include <functional>
#include <limits>
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

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Times calculations, and keeps the greatest slowdown of any.
class Stopwatch {
 public:
  double seconds(const std::function<void()>& prepare, const std::function<void()>& work) {
    const Timing timing = time_of(prepare, work);
    slowdown_ = std::max(slowdown_, timing.slowdown);
    return timing.seconds;
  }
  double slowdown() const { return slowdown_; }

 private:
  double slowdown_ = 1;
};

double dgemm_flops(Stopwatch& watch) {
  const auto a = random_numbers(order * order);
  const auto b = random_numbers(order * order);
  std::vector<double> c(order * order);
  const BlasLibrary blas;
  const double seconds = watch.seconds([] {}, [&] { blas.multiply(order, a, b, c); });
  return 2.0 * order * order * order / seconds;
}

double sort_rate(Stopwatch& watch) {
  const auto unsorted = random_numbers(keys);
  std::vector<double> sorted;
  return static_cast<double>(keys) /
         watch.seconds([&] { sorted = unsorted; }, [&] { std::ranges::sort(sorted); });
}

double fft_flops(Stopwatch& watch) {
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
      watch.seconds([&] { std::ranges::copy(input, numbers); }, [&] { fftw_execute(plan.get()); });
  return 5.0 * static_cast<double>(points) * std::log2(static_cast<double>(points)) / seconds;
}

double stencil_rate(Stopwatch& watch) {
  auto from = random_numbers(side * side);
  auto to = from;
  const double seconds =
      watch.seconds([] {},
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

MeasuredRates measure_compute_rates() {
  Stopwatch watch;
  const profile::ComputeRates rates{dgemm_flops(watch), sort_rate(watch), fft_flops(watch),
                                    stencil_rate(watch)};
  return {rates, watch.slowdown()};
}

profile::ComputeRates rates_of_this_host() {
  const MeasuredRates measured = measure_compute_rates();
  if (const std::string note = note_of_slowdown(measured.slowdown); !note.empty())
    fmt::print(stderr, "lbsp: this host: {}\n", note);
  return measured.rates;
}

Timing time_of(const std::function<void()>& prepare, const std::function<void()>& work) {
  std::vector<double> times;
  double least_needed = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= repetitions; ++i) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    const double before = processor_seconds();
    work();
    const double needed = processor_seconds() - before;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i == 0) continue;  // the first one warms up
    times.push_back(taken.count());
    least_needed = std::min(least_needed, needed);
  }
  const double median = transport::probe::quantile(times, 0.5);
  return {median, median / std::max(least_needed, 1e-9)};
}

std::string note_of_slowdown(double slowdown) {
  constexpr double usual = 1.3;
  if (slowdown < usual) return "";
  return fmt::format(
      "what it computes was measured while something else ran there, up to {:.2g} times too slow: measure "
      "again when nothing does, or give lbsp tune --flops",
      slowdown);
}

}  // namespace lbsp::probe
