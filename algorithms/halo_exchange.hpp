#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/grid_blocks.hpp"
#include "lbsp/queue.hpp"

namespace lbsp::algorithms {

/// Brings each rank the points around its block, for stencils that reach one point up, down, left and right
/// and are applied up to `halo` times between exchanges. Blocks may have any shape: a halo that is deeper
/// than the neighbours' blocks reaches beyond them.
///
///     HaloExchange halo(world, grid);    // on all ranks
///     halo.send(grid, Points::all);      // then whatever else the superstep sends
///     world.sync();
///     halo.receive(grid);
///
/// A rank sends one message to each rank whose block is at most `halo` steps from its own. With blocks of
/// rows that are at least as high as the halo, there are 2(P-1) messages in all, each of `halo` rows without
/// their ends.
class HaloExchange {
 public:
  /// What to send: the first time `all`, because the halo's points on the grid's own edge are needed too;
  /// they never change afterwards.
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
};

}  // namespace lbsp::algorithms
