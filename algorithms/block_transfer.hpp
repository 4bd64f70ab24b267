#pragma once

#include <vector>

#include "algorithms/block_matrix.hpp"
#include "algorithms/rectangle_transfer.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// Shares out rank 0's matrix: returns each rank's block of it. The arguments of the other ranks are ignored;
/// they learn the sizes from rank 0. All ranks call it together.
///
/// Cost: one superstep, in which rank 0 sends the whole matrix except its own block. T is float or double.
/// Throws UsageError if the number of ranks is not a square, or `values` does not have rows · columns
/// elements.
template <class T>
BlockMatrix<T> distribute(World& world, const WholeMatrix<T>& matrix);

/// Collects a matrix: returns it whole, row by row, on rank 0, and nothing on the other ranks. All ranks call
/// it together.
///
/// Cost: one superstep, in which rank 0 receives the whole matrix except its own block. T is float or double.
/// Throws UsageError if the ranks disagree about a size.
template <class T>
std::vector<T> gather(World& world, const BlockMatrix<T>& block);

}  // namespace lbsp::algorithms
