#include "algorithms/jacobi.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "algorithms/halo_exchange.hpp"
#include "algorithms/jacobi_sweep.hpp"
#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

void check_arguments(World& world, const GridBlock& grid, const JacobiLimits& limits) {
  if (grid.halo == 0) throw UsageError("a grid without a halo cannot be swept: give it a halo of 1 or more");
  if (limits.sweeps == 0) throw UsageError("jacobi was asked for 0 sweeps: choose 1 or more");
  if (grid.values.size() != grid.stored.elements()) {
    throw UsageError("the values of a block of a grid were resized: leave their number as it was");
  }
  world.agree(std::bit_cast<std::uint64_t>(limits.tolerance));
  world.agree(limits.sweeps);
  world.agree(limits.check_every);
}

/// The computing between exchanges.
class Sweeper {
 public:
  explicit Sweeper(GridBlock& grid) : grid_(grid) {}

  /// The points that never change must stand in both states; call it when they have all arrived.
  void copy_fixed_points() { other_ = grid_.values; }

  /// Sweeps `count` times, at most the halo's depth; what is right of the halo gets less each time. Returns
  /// the largest change of an own point in the last sweep, if asked for.
  double sweep(std::size_t count, bool watch) {
    double change = 0;
    for (std::size_t left = count; left-- > 0;) {
      const Rectangle region = within(grid_.blocks.around(grid_.own, left));
      const SweepGrids grids{grid_.values, other_, grid_.stored.columns.count};
      if (watch && left == 0) {
        change = watched_jacobi_sweep(grids, region, region);
      } else {
        jacobi_sweep(grids, region);
      }
      grid_.values.swap(other_);
    }
    return change;
  }

 private:
  /// Those of the points that change, counted in the stored block.
  Rectangle within(const Rectangle& points) const {
    Rectangle region = common(points, grid_.blocks.interior());
    if (region.empty()) return {};
    region.rows.begin -= grid_.stored.rows.begin;
    region.columns.begin -= grid_.stored.columns.begin;
    return region;
  }

  GridBlock& grid_;
  std::vector<double> other_;
};

/// Every rank's residual, sent to all with whatever else the superstep carries.
class Residual {
 public:
  explicit Residual(World& world) : world_(world), queue_(world) {}

  void send(double own) {
    for (Rank to = 0; to < world_.size(); ++to)
      queue_.send(to, 0, own);
  }

  /// The largest; not finite if one is not.
  double receive() const {
    double largest = 0;
    for (const auto message : queue_) {
      const double value = message.values().front();
      if (!(value <= largest)) largest = value;
      if (std::isnan(value)) break;
    }
    return largest;
  }

 private:
  World& world_;
  Queue<double> queue_;
};

void check_finite(double residual, std::uint64_t sweeps) {
  if (std::isfinite(residual)) return;
  throw Error(fmt::format(
      "the grid is not finite after {} sweeps: look for NaN, infinity and values above 1e307 in the "
      "first guess and on the boundary",
      sweeps));
}

}  // namespace

JacobiResult jacobi(World& world, GridBlock& grid, const JacobiLimits& limits) {
  check_arguments(world, grid, limits);
  HaloExchange halo(world, grid);
  Residual residual(world);
  Sweeper sweeper(grid);
  JacobiResult result;
  std::optional<double> change;  // of this rank, since the last check
  std::uint64_t next_check = limits.check_every;
  for (;;) {
    const bool last = result.sweeps == limits.sweeps;
    if (!last) {
      halo.send(grid, result.sweeps == 0 ? HaloExchange::Points::all : HaloExchange::Points::interior);
    }
    if (change) residual.send(*change);
    world.sync();
    halo.receive(grid);
    if (change) {
      result.residual = residual.receive();
      check_finite(result.residual, result.sweeps);
      result.converged = limits.tolerance > 0 && result.residual <= limits.tolerance;
    }
    if (last || result.converged) return result;

    if (result.sweeps == 0) sweeper.copy_fixed_points();
    const std::uint64_t count = std::min<std::uint64_t>(grid.halo, limits.sweeps - result.sweeps);
    result.sweeps += count;
    const bool check = result.sweeps >= next_check || result.sweeps == limits.sweeps;
    const double largest = sweeper.sweep(static_cast<std::size_t>(count), check);
    change = check ? std::optional(largest) : std::nullopt;
    if (check) next_check = result.sweeps + limits.check_every;
  }
}

double jacobi_alone(std::span<double> grid, std::size_t rows, std::size_t columns, std::uint64_t sweeps) {
  double change = 0;
  std::vector<double> old(grid.begin(), grid.end());
  for (std::uint64_t sweep = 0; sweep < sweeps; ++sweep) {
    change = 0;
    std::ranges::copy(grid, old.begin());
    for (std::size_t i = 1; i + 1 < rows; ++i) {
      for (std::size_t j = 1; j + 1 < columns; ++j) {
        const std::size_t at = i * columns + j;
        grid[at] = (old[at - columns] + old[at + columns] + old[at - 1] + old[at + 1]) / 4;
        change = std::max(change, std::abs(grid[at] - old[at]));
      }
    }
  }
  return change;
}

}  // namespace lbsp::algorithms
