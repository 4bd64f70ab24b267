#pragma once

#include "algorithms/block_matrix.hpp"
#include "algorithms/matmul_plan.hpp"
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

/// The same by broadcast, multiply and roll: in superstep s = 0 … √P-1 the rank of row i that has A-block (i,
/// i+s mod √P) sends it along its row, every rank but in the first superstep passes the B-block it has up,
/// and multiplies the two that have come.
///
/// Cost: √P supersteps of √P(√P-1) messages with A, and P with B in all but the first: 2(P^1.5 - P) in all,
/// as many as the direct way sends in one superstep. Memory: one block of A and one of B besides the own.
///
/// Source: Fox, Otto, Hey, "Matrix algorithms on a hypercube I", Parallel Computing 4 (1987).
template <class T>
BlockMatrix<T> matmul_fox(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b);

/// The same by outer products of panels: in every superstep the ranks that have the next at most `width`
/// columns of A send them along their rows, those that have the same rows of B down their columns, and all
/// multiply the two.
///
/// Cost: ⌈k/(√P·width)⌉·√P supersteps if √P divides k, of 2√P(√P-1) messages. Memory: a panel of A and one of
/// B besides the own blocks; √P-1 copies of them where they are sent.
///
/// Throws UsageError also if `width` is 0. Source: van de Geijn, Watts, "SUMMA", Concurrency 9 (1997).
template <class T>
BlockMatrix<T> matmul_summa(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b,
                            std::size_t width);

/// The one that the plan says.
template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b,
                      const ProductPlan& plan);

}  // namespace lbsp::algorithms
