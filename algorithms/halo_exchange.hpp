#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/grid_blocks.hpp"
#include "lbsp/queue.hpp"

namespace lbsp::algorithms {

/// Brings the points around a rank's block to it, for stencils that reach one point up, down, left and right
/// and are applied up to `halo` times between exchanges. Whatever the shapes: a halo may be deeper than the
/// neighbours' blocks, and then reaches beyond them.
///
///     HaloExchange halo(world, grid);    // on all ranks
///     halo.send(grid, Points::all);      // then whatever else the superstep sends
///     world.sync();
///     halo.receive(grid);
///
/// A rank sends one message to each rank whose block is at most `halo` steps from its own: with blocks of
/// rows not lower than the halo 2(P-1) messages in all, each of halo rows without their ends.
class HaloExchange {
 public:
  /// The first time the halo's points on the grid's own edge are wanted, too; they never change after.
  enum class Points { all, interior };

  HaloExchange(World& world, const GridBlock& grid);

  void send(const GridBlock& grid, Points points);
  void receive(GridBlock& grid) const;

 private:
  struct Neighbour {
    Rank rank;
    Rectangle theirs;  ///< of this rank's block, what belongs to the neighbour's halo
    Rectangle ours;    ///< of the neighbour's block, what belongs to this rank's halo
  };

  std::vector<Neighbour> neighbours_;
  Queue<double, Points> queue_;
  std::vector<double> packed_;
};

}  // namespace lbsp::algorithms
