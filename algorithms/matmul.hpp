#pragma once

#include "algorithms/block_matrix.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// C = A · B, the direct way: every rank gathers its row of A-blocks and its column of B-blocks, then
/// multiplies them with the BLAS. T is float or double. All ranks of the world call it together.
///
/// Any sizes that fit: A m × k, B k × n, also smaller than the grid (blocks are empty then) or no multiple
/// of it.
///
/// Cost: one superstep, in which a rank sends its two blocks to the √P-1 other ranks of its row and its
/// column each, so h = 2(√P-1) messages of about mk/P or kn/P elements; then 2mkn/P operations. Memory: the
/// received blocks, (mk + kn)/√P elements, and C.
///
/// Throws UsageError if the columns of A are not as many as the rows of B, or the ranks disagree about a
/// size. Source: the L-BSP paper's "direct matrix multiplication" on a √P × √P grid.
template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b);

}  // namespace lbsp::algorithms
