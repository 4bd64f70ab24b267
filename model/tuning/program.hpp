#pragma once

#include <string>
#include <vector>

namespace lbsp::model::tuning {

/// What a program sends: messages, which lbsp cuts into packets of any size.
struct Sends {
  double supersteps = 0;
  double destinations = 0;      ///< to how many others the busiest node sends a message in each …
  double message_bytes = 0;     ///< … of so many bytes of values; all others get an empty one
  double short_supersteps = 0;  ///< besides those, with a few values at most; the last one ends the job
  bool begins_short = false;    ///< a short one is the first of all
};

/// A program as lbsp runs it on `nodes` nodes, in equal supersteps and some short ones.
struct Program : Sends {
  std::string name;
  double nodes = 1;               ///< P
  double sequential_seconds = 0;  ///< w_s: on one node
  double parallel_seconds = 0;    ///< w_p: on each of P
};

/// What a program requires of its number of nodes.
enum class Admissible { any, squares, powers_of_two };

/// The node counts that `rule` allows, from 1 to `most`, ascending.
std::vector<double> admissible_nodes(Admissible rule, double most);

/// The ready programs, with elements of 8 bytes (16 for the complex ones of fft2d), when they neither read,
/// write nor verify. Each has a short superstep that tells rank 0 how long it took, and one that ends it. F:
/// operations per second of a node. All throw std::invalid_argument for sizes, nodes and rates that are not
/// positive, and for more nodes than there is work to share.

/// N × N matrices in √P × √P blocks, as algorithms/matmul.hpp: one superstep, in which every node sends a
/// block of 8N²/P bytes to 2(√P-1) others. w_s = 2N³/F.
Program matmul_program(double size, double nodes, double flops);

/// The same by Fox's algorithm: √P supersteps, in which the busiest node sends its blocks of 8N²/P bytes to √P others;
/// in the first to one less, as nothing is rolled before it. So in the mean it is √P - 1/√P.
Program fox_program(double size, double nodes, double flops);

/// N keys, N/P on a node, L = log2 P: after its own sort every node exchanges all its keys with one other in
/// each of L(L+1)/2 supersteps, and merges. A short superstep before tells all nodes the type of the keys.
/// w_s = N log2 N / F, w_p = [N/P log2(N/P) + L(L+1)(N/P - 1/2)] / F; F counts comparisons.
Program bitonic_sort_program(double keys, double nodes, double comparisons);

/// N × N complex points, N/P rows on a node: transforms of rows, a transpose, transforms of columns, and a
/// transpose back. Two supersteps of P-1 messages a node of 16N²/P² bytes. w_s = 5N² log2(N²) / F.
Program fft2d_program(double side, double nodes, double flops);

/// Laplace's equation on a square grid, as algorithms/jacobi.hpp.
struct JacobiGrid {
  double side = 0;  ///< M points, boundary included
  double sweeps = 1;
  double halo = 1;  ///< D: rows that a node gets of its neighbours, enough for D sweeps
};

/// In blocks of h = (M-2)/P rows: a superstep for every D sweeps, in which a node sends min(D, h) rows of 8M
/// bytes to each of the 2⌈D/h⌉ nodes next to it. In D sweeps it also computes D(D-1)/2 rows more at each of
/// its two edges, as far as there are such rows. A short superstep after the last sweep finds the residual.
/// w_s = 5·sweeps·(M-2)² / F.
Program jacobi_program(const JacobiGrid& grid, double nodes, double flops);

/// A program of your own: work that divides evenly, and equal supersteps; a short one ends it.
struct OwnProgram {
  double work_seconds = 0;  ///< w_s: all of it, on one node
  double supersteps = 1;
  double message_bytes = 0;
  double destinations = 0;  ///< how many others a node sends a message of that size; 0: all
};
Program own_program(const OwnProgram& own, double nodes);

}  // namespace lbsp::model::tuning
