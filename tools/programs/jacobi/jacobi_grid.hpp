#pragma once

#include <vector>

#include "algorithms/grid_blocks.hpp"
#include "lbsp/world.hpp"
#include "tools/programs/jacobi/jacobi_arguments.hpp"

namespace lbsp::programs::jacobi {

/// The first guess that jacobi begins with: everyone's block.
algorithms::GridBlock make_jacobi_grid(World& world, const JacobiArguments& arguments);

/// The grid's blocks put together on rank 0, row by row; nothing on the others. One superstep.
std::vector<double> collect_grid(World& world, const algorithms::GridBlock& grid);

}  // namespace lbsp::programs::jacobi
