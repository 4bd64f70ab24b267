#include "tools/programs/jacobi/jacobi_job.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/jacobi.hpp"
#include "algorithms/verification.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/short_number.hpp"
#include "tools/programs/jacobi/jacobi_grid.hpp"
#include "tools/programs/memory.hpp"
#include "tools/programs/npy.hpp"
#include "tools/programs/refutation.hpp"
#include "tools/programs/slowest.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::programs::jacobi {
namespace {

using algorithms::GridBlock;
using algorithms::JacobiResult;

/// The slowest part of an error shrinks by about 1 - 5/m² a sweep on m × m points: after 10 m² sweeps nothing
/// but rounding is left.
std::uint64_t sweeps_that_suffice(const GridBlock& grid) {
  const std::uint64_t longest = std::max<std::uint64_t>({grid.blocks.rows, grid.blocks.columns, 10});
  return 10 * longest * longest;
}

std::string summarise(const World& world, const GridBlock& grid, const JacobiResult& result, Seconds time) {
  const auto sweep =
      std::chrono::duration_cast<transport::Duration>(time / static_cast<double>(result.sweeps));
  return fmt::format(
      "jacobi: {}x{} P={} in {}x{} blocks, halo {}: {} after {}, residual {:.3g}, {} s, {} a sweep",
      grid.blocks.rows, grid.blocks.columns, world.size(), grid.blocks.down, grid.blocks.across, grid.halo,
      result.converged ? "converged" : "ended", counted(result.sweeps, "sweep"), result.residual,
      command_line::short_number(time.count()), transport::format_duration(sweep, 3));
}

JacobiResult solve(World& world, GridBlock& grid, const JacobiArguments& arguments) {
  const std::uint64_t sweeps = arguments.iterations.value_or(sweeps_that_suffice(grid));
  return algorithms::jacobi(
      world, grid,
      {.tolerance = arguments.tolerance_or_none(), .sweeps = sweeps, .check_every = arguments.check_every},
      arguments.keep);
}

/// Unless the user has said how many sweeps it is to be.
void require_convergence(const JacobiResult& result, const JacobiArguments& arguments) {
  if (result.converged || arguments.iterations) return;
  throw Error(
      fmt::format("after {} sweeps a point still changes by {:.3g}, and rounding lets it go no lower: give "
                  "a larger --tolerance "
                  "than {:g}, or --iterations",
                  result.sweeps, result.residual, arguments.tolerance_or_none()));
}

void verify(World& world, const std::vector<double>& found, std::vector<double> first, const GridBlock& grid,
            const JacobiResult& result, Outcome& outcome) {
  algorithms::jacobi_alone(first, grid.blocks.rows, grid.blocks.columns, result.sweeps);
  const algorithms::Verification verification{algorithms::relative_error<double>(found, first), 1e-12};
  world.set_verified(verification.passed());
  outcome.summary += fmt::format(", relative error {:.2g}, {}", verification.error,
                                 verification.passed() ? "verified" : "not verified");
  if (verification.passed()) return;
  outcome.refutation = refutation_of("the solution", verification.error, verification.bound);
}

}  // namespace

Outcome jacobi_job(World& world, const JacobiArguments& arguments) {
  // A place that cannot be written is found before the work, not after it.
  std::optional<command_line::AtomicFile> out;
  if (world.rank() == 0 && !arguments.out.empty()) out.emplace(arguments.out);

  if (arguments.initial.empty())
    require_memory_of_part(static_cast<double>(arguments.rows) * static_cast<double>(arguments.columns),
                           2 * sizeof(double), world,
                           fmt::format("a grid of {}x{}", arguments.rows, arguments.columns));
  GridBlock grid = make_jacobi_grid(world, arguments);
  const auto points = static_cast<double>(grid.blocks.whole().elements());
  // Whether to verify is known when the sweeps are counted; what to begin from has to be kept before.
  std::vector<double> first;
  if (arguments.verifies(points, 1)) first = collect_grid(world, grid);

  const Seconds begin = world.time();
  const JacobiResult result = solve(world, grid, arguments);
  const Seconds time = slowest(world, world.time() - begin);
  require_convergence(result, arguments);

  const bool verifies = arguments.verifies(points, static_cast<double>(result.sweeps));
  std::vector<double> solution;
  if (verifies || !arguments.out.empty()) solution = collect_grid(world, grid);
  Outcome outcome;
  if (world.rank() != 0) return outcome;

  outcome.summary = summarise(world, grid, result, time);
  if (verifies) verify(world, solution, std::move(first), grid, result, outcome);
  if (out && outcome.refutation.empty()) {
    write_npy<double>(*out, {grid.blocks.rows, grid.blocks.columns}, solution);
    out->commit();
  }
  return outcome;
}

}  // namespace lbsp::programs::jacobi
