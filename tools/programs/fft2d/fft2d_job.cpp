#include "tools/programs/fft2d/fft2d_job.hpp"

#include <cmath>
#include <complex>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "algorithms/fft2d.hpp"
#include "algorithms/hashed_matrix.hpp"
#include "algorithms/local_transpose.hpp"
#include "algorithms/rectangle_transfer.hpp"
#include "algorithms/verification.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/short_number.hpp"
#include "tools/programs/fft2d/complex_grid.hpp"
#include "tools/programs/memory.hpp"
#include "tools/programs/npy.hpp"
#include "tools/programs/refutation.hpp"
#include "tools/programs/slowest.hpp"

namespace lbsp::programs::fft2d {
namespace {

template <class T>
using Values = std::vector<std::complex<T>>;

/// The grid to transform: everyone's rows, and on rank 0 all of it, if it comes from a file or the transform
/// is to be verified there.
template <class T>
struct Grid {
  std::size_t rows = 0;
  std::size_t columns = 0;
  Values<T> own;
  Values<T> whole;

  std::size_t points() const { return rows * columns; }
};

algorithms::RectangleOf rows_on(const World& world) {
  return [ranks = world.size()](std::size_t rows, std::size_t columns, Rank rank) {
    return algorithms::rows_of_rank(rows, columns, rank, ranks);
  };
}

template <class T>
Grid<T> read_grid(World& world, const std::string& path) {
  NpyArray<std::complex<T>> array{{0, 0}, {}};
  if (world.rank() == 0) array = read_complex_grid<T>(path);
  auto dealt = algorithms::deal<std::complex<T>>(world, {array.shape[0], array.shape[1], array.values},
                                                 rows_on(world));
  return {dealt.rows, dealt.columns, std::move(dealt.values), std::move(array.values)};
}

template <class T>
Values<T> random_rows(const Fft2dArguments& arguments, algorithms::Range rows) {
  const algorithms::HashedMatrix real_parts(arguments.seed, 0);
  const algorithms::HashedMatrix imaginary_parts(arguments.seed, 1);
  Values<T> values;
  values.reserve(rows.count * arguments.columns);
  for (std::size_t i = rows.begin; i < rows.end(); ++i) {
    for (std::size_t j = 0; j < arguments.columns; ++j)
      values.emplace_back(real_parts.at<T>(i, j), imaginary_parts.at<T>(i, j));
  }
  return values;
}

template <class T>
Grid<T> make_grid(World& world, const Fft2dArguments& arguments) {
  if (!arguments.in.empty()) return read_grid<T>(world, arguments.in);
  Grid<T> grid{arguments.rows, arguments.columns, {}, {}};
  grid.own = random_rows<T>(arguments, algorithms::part_of(grid.rows, world.size(), world.rank()));
  if (world.rank() == 0 && arguments.verifies(grid.points())) {
    grid.whole = random_rows<T>(arguments, {0, grid.rows});
  }
  return grid;
}

template <class T>
std::string summarise(const World& world, const Grid<T>& grid, const Fft2dArguments& arguments,
                      Seconds time) {
  const auto points = static_cast<double>(grid.points());
  const double operations = 5 * points * std::log2(points);
  return fmt::format("fft2d: {}x{} P={} {}{}{} {} s, {} GFlop/s", grid.rows, grid.columns, world.size(),
                     arguments.single_precision ? "single" : "double", arguments.inverse ? " inverse" : "",
                     arguments.transposed ? " transposed" : "", command_line::short_number(time.count()),
                     command_line::short_number(operations / time.count() / 1e9));
}

/// The transform by one process, as the arguments want it.
template <class T>
Values<T> transformed_alone(const Grid<T>& grid, const Fft2dArguments& arguments) {
  Values<T> values = grid.whole;
  algorithms::fft2d_alone<T>(
      values, grid.rows, grid.columns,
      arguments.inverse ? algorithms::Direction::inverse : algorithms::Direction::forward);
  if (arguments.inverse) {
    for (auto& value : values)
      value /= static_cast<T>(grid.points());
  }
  if (!arguments.transposed) return values;
  Values<T> transposed(values.size());
  algorithms::transpose_into<std::complex<T>>({values.data(), grid.rows, grid.columns, grid.columns},
                                              {transposed.data(), grid.rows});
  return transposed;
}

template <class T>
void verify(World& world, const Values<T>& found, const Grid<T>& grid, const Fft2dArguments& arguments,
            Outcome& outcome) {
  const auto distance = algorithms::verify_transform<T>(found, transformed_alone(grid, arguments));
  const auto points = static_cast<double>(grid.points());
  const auto energy =
      algorithms::verify_energy<T>(grid.whole, found, arguments.inverse ? 1 / points : points);
  const bool passed = distance.passed() && energy.passed();
  world.set_verified(passed);
  outcome.summary +=
      fmt::format(", relative error {:.2g}, {}", distance.error, passed ? "verified" : "not verified");
  if (passed) return;
  if (!std::isfinite(distance.error) || !std::isfinite(energy.error)) {
    outcome.refutation = not_finite("the transform");
  } else if (!distance.passed()) {
    outcome.refutation = refutation_of("the transform", distance.error, distance.bound);
  } else {
    outcome.refutation = fmt::format(
        "the energy of the transform is {:.2g} away from that of its input where {:.2g} is allowed: report it as a bug "
        "with the command, or give --no-verify",
        energy.error, energy.bound);
  }
}

template <class T>
Outcome transform(World& world, const Fft2dArguments& arguments) {
  // A place that cannot be written is found before the work, not after it.
  std::optional<command_line::AtomicFile> out;
  if (world.rank() == 0 && !arguments.out.empty()) out.emplace(arguments.out);

  if (arguments.in.empty())
    require_memory_of_part(static_cast<double>(arguments.rows) * static_cast<double>(arguments.columns),
                           2 * sizeof(std::complex<T>), world,
                           fmt::format("a grid of {}x{}", arguments.rows, arguments.columns));
  Grid<T> grid = make_grid<T>(world, arguments);
  const auto direction = arguments.inverse ? algorithms::Direction::inverse : algorithms::Direction::forward;
  algorithms::Fft2d<T> fft(world, grid.rows, grid.columns,
                           {.direction = direction, .transposed = arguments.transposed});
  const Seconds begin = world.time();
  fft.transform(grid.own, arguments.keep);
  const Seconds time = slowest(world, world.time() - begin);

  const bool verifies = arguments.verifies(grid.points());
  const std::size_t rows = arguments.transposed ? grid.columns : grid.rows;
  const std::size_t columns = arguments.transposed ? grid.rows : grid.columns;
  Values<T> whole;
  if (verifies || !arguments.out.empty()) {
    whole = algorithms::collect<std::complex<T>>(world, {rows, columns, grid.own}, rows_on(world));
  }
  Outcome outcome;
  if (world.rank() != 0) return outcome;

  outcome.summary = summarise(world, grid, arguments, time);
  if (verifies) verify(world, whole, grid, arguments, outcome);
  if (out && outcome.refutation.empty()) {
    write_npy<std::complex<T>>(*out, {rows, columns}, whole);
    out->commit();
  }
  return outcome;
}

}  // namespace

Outcome fft2d_job(World& world, const Fft2dArguments& arguments) {
  return arguments.single_precision ? transform<float>(world, arguments)
                                    : transform<double>(world, arguments);
}

}  // namespace lbsp::programs::fft2d
