#include "algorithms/jacobi.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/halo_exchange.hpp"
#include "algorithms/jacobi_sweep.hpp"
#include "algorithms/matrix_part.hpp"
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

/// NaN, if one is.
double larger(double a, double b) {
  return std::isnan(a) || a >= b ? a : b;
}

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
      largest = larger(largest, message.values().front());
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

/// All that is needed to go on with a relaxation before any of its supersteps.
struct JacobiState {
  const GridBlock* grid = nullptr;  ///< where the points are; none: they are in `part`
  std::size_t rows = 0;             ///< of the whole grid
  std::size_t columns = 0;
  MatrixPart<double> part{};
  std::uint64_t sweeps = 0;
  std::uint64_t next_check = 0;
  std::optional<double> change{};  ///< of this rank's points in the last sweep, if that is to be checked

  void fields(ImageWriter& all) {
    MatrixPart<double> own{grid->own, grid->own_values()};
    all(rows, columns, own, sweeps, next_check, change);
  }
  void fields(ImageReader& all) { all(rows, columns, part, sweeps, next_check, change); }
};

class Relaxation {
 public:
  Relaxation(World& world, GridBlock& grid, const JacobiLimits& limits)
      : world_(world), grid_(grid), limits_(limits), halo_(world, grid), residual_(world), sweeper_(grid) {
    state_.grid = &grid;
    state_.rows = grid.blocks.rows;
    state_.columns = grid.blocks.columns;
    state_.next_check = limits.check_every;
  }

  JacobiState& state() { return state_; }
  JacobiResult result() const { return {state_.sweeps, last_residual_, converged_}; }

  /// Goes on with the state, which is one that was kept, and with those of lost ranks. Two supersteps.
  void go_on(Steps<JacobiState>& steps) {
    tell_those_that_joined(steps.joined());
    check_state();
    std::vector<MatrixPart<double>> parts{std::move(state_.part)};
    for (const auto& lost : steps.inherited()) {
      parts.push_back(lost.state.part);
      if (state_.change) state_.change = larger(*state_.change, lost.state.change.value_or(0));
    }
    const std::vector<double> kept =
        redistribute<double>(world_, parts, [&](Rank rank) { return grid_.blocks.of_rank(rank); });
    check_boundary(kept);
    grid_.set_own_values(kept);
  }

  /// One superstep, and the sweeps after it. Returns false if it was the last.
  bool step() {
    const bool last = state_.sweeps == limits_.sweeps;
    if (!last) halo_.send(grid_, begun_ ? HaloExchange::Points::interior : HaloExchange::Points::all);
    if (state_.change) residual_.send(*state_.change);
    world_.sync();
    halo_.receive(grid_);
    if (state_.change) check();
    if (last || converged_) return false;
    if (!std::exchange(begun_, true)) sweeper_.copy_fixed_points();
    sweep();
    return true;
  }

 private:
  /// How far the others are. Their residuals count, not that of a rank that has had no points.
  struct Progress {
    std::uint64_t sweeps;
    std::uint64_t next_check;
    std::uint64_t checks;
  };
  void tell_those_that_joined(bool joined) {
    const Queue<Progress> queue(world_);
    for (Rank to = 1; to < world_.size() && world_.rank() == 0; ++to)
      queue.send(to, 0, Progress{state_.sweeps, state_.next_check, state_.change ? 1U : 0U});
    world_.sync();
    for (const auto message : queue) {
      if (!joined) continue;
      const Progress& progress = message.values()[0];
      state_.sweeps = progress.sweeps;
      state_.next_check = progress.next_check;
      state_.change = progress.checks != 0 ? std::optional(0.) : std::nullopt;
    }
  }

  void check_state() const {
    if (state_.rows != grid_.blocks.rows || state_.columns != grid_.blocks.columns)
      throw UsageError(
          fmt::format("the states that were kept are of a grid of {} x {}, and this one has {} x {}: give "
                      "the same",
                      state_.rows, state_.columns, grid_.blocks.rows, grid_.blocks.columns));
    if (state_.sweeps > limits_.sweeps || (state_.sweeps == limits_.sweeps && !state_.change))
      throw UsageError(
          fmt::format("the states that were kept have had {} sweeps already, and {} are asked for: give more",
                      state_.sweeps, limits_.sweeps));
  }

  /// Sweeps leave it as it is: it says whether the states are of this problem. `kept` is row by row, as own_values().
  void check_boundary(const std::vector<double>& kept) const {
    const std::vector<double> given = grid_.own_values();
    const auto is_outermost = [](std::size_t index, std::size_t count) {
      return index == 0 || index + 1 == count;
    };
    for (std::size_t at = 0; at < given.size(); ++at) {
      const std::size_t i = grid_.own.rows.begin + at / grid_.own.columns.count;
      const std::size_t j = grid_.own.columns.begin + at % grid_.own.columns.count;
      // The corners count for nothing.
      const bool fixed = is_outermost(i, grid_.blocks.rows) != is_outermost(j, grid_.blocks.columns);
      if (!fixed || std::bit_cast<std::uint64_t>(kept[at]) == std::bit_cast<std::uint64_t>(given[at]))
        continue;
      throw UsageError(
          fmt::format("the states that were kept have {} on the boundary at row {}, column {}, and this grid "
                      "has {}: give the same boundary",
                      kept[at], i, j, given[at]));
    }
  }

  void check() {
    last_residual_ = residual_.receive();
    check_finite(last_residual_, state_.sweeps);
    converged_ = limits_.tolerance > 0 && last_residual_ <= limits_.tolerance;
  }

  void sweep() {
    const std::uint64_t count = std::min<std::uint64_t>(grid_.halo, limits_.sweeps - state_.sweeps);
    state_.sweeps += count;
    const bool checks = state_.sweeps >= state_.next_check || state_.sweeps == limits_.sweeps;
    const double largest = sweeper_.sweep(static_cast<std::size_t>(count), checks);
    state_.change = checks ? std::optional(largest) : std::nullopt;
    if (checks) state_.next_check = state_.sweeps + limits_.check_every;
  }

  World& world_;
  GridBlock& grid_;
  JacobiLimits limits_;
  HaloExchange halo_;
  Residual residual_;
  Sweeper sweeper_;
  JacobiState state_;
  double last_residual_ = 0;
  bool converged_ = false;
  bool begun_ = false;
};

}  // namespace

JacobiResult jacobi(World& world, GridBlock& grid, const JacobiLimits& limits,
                    const std::optional<Keep>& keep) {
  check_arguments(world, grid, limits);
  Relaxation relaxation(world, grid, limits);
  if (!keep) {
    while (relaxation.step()) {
    }
    return relaxation.result();
  }
  Keep growing = *keep;
  growing.grows = true;
  Steps<JacobiState> steps(world, relaxation.state(), Steps<JacobiState>::endless, growing);
  if (steps.first() > 0) relaxation.go_on(steps);
  for ([[maybe_unused]] const std::uint64_t step : steps)
    if (!relaxation.step()) break;
  return relaxation.result();
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
