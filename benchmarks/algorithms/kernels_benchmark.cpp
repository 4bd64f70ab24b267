#include <algorithm>
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <complex>
#include <fftw3.h>
#include <vector>

#include "algorithms/fft2d.hpp"
#include "algorithms/jacobi_sweep.hpp"
#include "algorithms/local_fft.hpp"
#include "algorithms/local_product.hpp"
#include "algorithms/matmul.hpp"
#include "transport/threads/threads_exchange.hpp"

/// What the algorithms add to the libraries that compute for them: each kernel beside the same call of FFTW
/// or OpenBLAS, and each algorithm on one rank beside the library's own whole problem.
namespace lbsp::bench {
namespace {

using namespace algorithms;
using Complex = std::complex<double>;

fftw_complex* pointer(std::vector<Complex>& values) {
  return reinterpret_cast<fftw_complex*>(values.data());
}

/// A world of one, as a program that is started by itself has.
struct Alone {
  std::vector<std::unique_ptr<transport::Exchange>> exchanges = transport::make_threads_exchanges(1);
  World world{*exchanges.front()};
};

void rows_by_fftw(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<Complex> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  const fftw_plan plan = fftw_plan_many_dft(1, &n, n, pointer(values), nullptr, 1, n, pointer(values),
                                            nullptr, 1, n, FFTW_FORWARD, FFTW_ESTIMATE);
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    fftw_execute(plan);
  fftw_destroy_plan(plan);
}

void rows_by_local_fft(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<Complex> values(n * n);
  const LocalFft<double> fft(n, n, Direction::forward);
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores)
    fft.transform(values);
}

void fft2d_by_fftw(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<Complex> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  const fftw_plan plan =
      fftw_plan_dft_2d(n, n, pointer(values), pointer(values), FFTW_FORWARD, FFTW_ESTIMATE);
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores)
    fftw_execute(plan);
  fftw_destroy_plan(plan);
}

void fft2d_on_one_rank(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  Alone alone;
  Fft2d<double> fft(alone.world, n, n);
  std::vector<Complex> values(n * n);
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores)
    fft.transform(values);
}

void product_by_blas(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const std::vector<double> a(static_cast<std::size_t>(n * n), 1);
  std::vector<double> c(a.size());
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, a.data(), n, 1, c.data(),
                n);
  }
}

void product_on_one_rank(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  Alone alone;
  BlockMatrix<double> a(alone.world, n, n);
  a.fill([](std::size_t, std::size_t) { return 1.; });
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores)
    benchmark::DoNotOptimize(matmul(alone.world, a, a).values.data());
}

/// Bytes per second: a point is read and written once.
void sweep(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const bool watched = state.range(1) != 0;
  std::vector<double> from(n * n, 1);
  std::vector<double> to(n * n);
  const Rectangle inner{{1, n - 2}, {1, n - 2}};
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    if (watched) {
      benchmark::DoNotOptimize(watched_jacobi_sweep({from, to, n}, inner, inner));
    } else {
      jacobi_sweep({from, to, n}, inner);
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(16 * inner.elements()));
}

/// The bound of a sweep: copying the same points.
void copy(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<double> from(n * n, 1);
  std::vector<double> to(n * n);
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    std::ranges::copy(from, to.begin());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(16 * n * n));
}

BENCHMARK(rows_by_fftw)->Arg(256)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(rows_by_local_fft)->Arg(256)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(fft2d_by_fftw)->Arg(256)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(fft2d_on_one_rank)->Arg(256)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(product_by_blas)->Arg(256)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(product_on_one_rank)->Arg(256)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(sweep)
    ->ArgsProduct({{257, 2049}, {0, 1}})
    ->ArgNames({"points", "watched"})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(copy)->Arg(257)->Arg(2049)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lbsp::bench
