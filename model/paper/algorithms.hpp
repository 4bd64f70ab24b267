#pragma once

#include "model/paper/workload.hpp"

namespace lbsp::model::paper {

/// The nodes that the algorithms run on.
struct Machine {
  double flops = 0;         ///< F: floating-point operations (or comparisons) per second and node
  double packet_bytes = 0;  ///< of payload
};

/// The algorithms of the paper's section 5, as workloads. Each throws std::invalid_argument for sizes and
/// node counts that are not positive.

/// N × N matrices in √P × √P blocks of 4-byte elements (the direct algorithm): every node sends its two
/// blocks along its row and column. c = 2(P^1.5 - P), h = 2(√P - 1), messages of 4N²/P bytes, w_s = (2N³ -
/// N²)/F, w_p = w_s/P.
Workload matmul(double size, double nodes, const Machine& machine);

/// N keys of 4 bytes in total, N/P on a node, L = log2 P: L(L+1)/2 merges, in each of which every node sends
/// all its keys. c = P, h = 1, messages of 4N/P bytes, w_s = N log2 N / F, w_p = [N/P log2(N/P) + L(L+1)(N/P
/// - 1/2)] / F.
Workload bitonic_sort(double keys, double nodes, const Machine& machine);

/// A two-dimensional transform of N complex points of 16 bytes in total, by transposes: two all-to-all
/// phases. c = P(P-1), h = P-1, messages of 16N/P² bytes, w_s = 5N log2 N / F, w_p = 10 (N/P) log2(N/P) / F.
Workload fft2d(double points, double nodes, const Machine& machine);

/// Laplace's equation by Jacobi on (m-1)² unknowns, as the paper counts it: five diagonals, L = log2 P
/// sweeps, three 8-byte values to each neighbour. c = 2(P-1), h = 2(P-1)/P, messages of 24 bytes, w_s = 10 L
/// (m-1)² / F, w_p = w_s/P. Arithmetic rather than a prediction: see docs/paper.md.
Workload paper_jacobi(double m, double nodes, const Machine& machine);

/// The same equation as a program solves it: m × m points in blocks of rows, `sweeps` sweeps, a row of 8(m-1)
/// bytes to each neighbour in every sweep.
Workload jacobi(double m, double sweeps, double nodes, const Machine& machine);

}  // namespace lbsp::model::paper
