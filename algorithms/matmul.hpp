#pragma once

#include <cstddef>
#include <optional>

#include "algorithms/block_matrix.hpp"
#include "algorithms/matmul_plan.hpp"
#include "lbsp/steps.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// Computes C = A · B directly: every rank gathers its row of A-blocks and its column of B-blocks, and
/// multiplies them with the BLAS. T is float or double. All ranks of the world call it together.
///
/// Takes any sizes that fit: A is m × k, B is k × n. They may be smaller than the grid (some blocks are then
/// empty), and need not be a multiple of it.
///
/// Cost: one superstep, in which a rank sends its A-block to the √P-1 other ranks of its row and its B-block
/// to those of its column: h = 2(√P-1) messages of about mk/P or kn/P elements. Then 2mkn/P operations.
/// Memory: the received blocks, (mk + kn)/√P elements, and C.
///
/// Throws UsageError if A does not have as many columns as B has rows, or if the ranks disagree about a size.
/// Source: the L-BSP paper's "direct matrix multiplication" on a √P × √P grid.
template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b);

/// The same by broadcast, multiply and roll. In superstep s = 0 … √P-1 the rank of row i that has A-block (i,
/// i+s mod √P) sends it along its row. In all but the first superstep every rank also passes its B-block up.
/// Then each rank multiplies the two blocks that it has received.
///
/// Cost: √P supersteps of √P(√P-1) messages with A, and P with B in all but the first: 2(P^1.5 - P) in all,
/// as many as matmul() sends in one superstep. Memory: one block of A and one of B besides the rank's own.
///
/// With `keep`, for a job that outlives its ranks (lbsp/steps.hpp), each rank keeps its part of C, and other hosts do
/// now and then (Keep::catches_up): the product goes on, to the same bits, when new processes have come in place of
/// lost ones and have made or got their blocks of A and B again. The others send them the blocks of the steps that they
/// lack.
///
/// Source: Fox, Otto, Hey, "Matrix algorithms on a hypercube I", Parallel Computing 4 (1987).
template <class T>
BlockMatrix<T> matmul_fox(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b,
                          const std::optional<Keep>& keep = {});

/// The same by outer products of panels. In every superstep the ranks that have the next columns of A, at
/// most `width` of them, send them along their rows. The ranks that have the same rows of B send them down
/// their columns, and every rank multiplies the two.
///
/// Cost: ⌈k/(√P·width)⌉·√P supersteps if √P divides k, each of 2√P(√P-1) messages. Memory: a panel of A and
/// one of B besides the rank's own blocks; √P-1 copies of a panel on the ranks that send it.
///
/// `keep` is as with matmul_fox(). Throws UsageError also if `width` is 0. Source: van de Geijn, Watts, "SUMMA",
/// Concurrency 9 (1997).
template <class T>
BlockMatrix<T> matmul_summa(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b, std::size_t width,
                            const std::optional<Keep>& keep = {});

/// The one that the plan names. A product in one superstep is begun again after a loss.
template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b, const ProductPlan& plan,
                      const std::optional<Keep>& keep = {});

}  // namespace lbsp::algorithms
