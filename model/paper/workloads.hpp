#pragma once

#include <string>
#include <vector>

#include "model/paper/speedup.hpp"

namespace lbsp::model::paper {

/// A communication pattern that a program repeats `times` times: c_s packets system-wide, of which the
/// busiest node sends h_s.
struct CommunicationStep {
  double times = 1;
  double packets = 0;           ///< c_s
  double packets_per_node = 0;  ///< h_s
};

/// A parallel program as the model needs it: one of those below, or your own.
struct Workload {
  std::string name;
  double nodes = 1;                ///< P
  double sequential_seconds = 0;   ///< w_s: on one node
  double parallel_seconds = 0;     ///< w_p: on each of P nodes
  double message_bytes = 0;        ///< of the longest message, 0 if steps say it all
  double packets_per_message = 1;  ///< γ: each step is a superstep of its own for each packet of its messages
  std::vector<CommunicationStep> steps{};
};

/// What a workload costs on a network: w_p + T_comm, T_comm = γ Σ_s times_s · 2 ρ̂(c_s) (k h_s α + β). Throws
/// std::invalid_argument as predict() does.
Cost cost_of(const Workload& workload, const Network& network, int copies, Scheme scheme = Scheme::rounds);

/// The same workload with the γ packets of a message in one superstep instead of γ supersteps of one packet
/// each: γ·c packets, γ·h per node, and one delay.
Workload in_one_superstep(Workload workload);

/// The nodes that an algorithm runs on.
struct Machine {
  double flops = 0;         ///< F: floating-point operations (or comparisons) per second and node
  double packet_bytes = 0;  ///< of payload
};

/// The algorithms of the paper's section 5. These and the collectives throw std::invalid_argument for numbers
/// that are not positive.

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

/// Collective operations, which compute nothing, on a whole number P of nodes. `bytes` are those of the message
/// (broadcast) or of each node (all-gather); packets have `packet_bytes`.

/// Binomial tree: in step s = 1..⌈log2 P⌉ each of up to 2^(s-1) nodes that have the message sends it to one
/// more. The busiest node sends a whole message in each step; the paper averages it over all P.
Workload binomial_broadcast(double bytes, double nodes, double packet_bytes);

/// Van de Geijn: scatter over a binomial tree, halving the message in each step, then a ring all-gather of
/// the P pieces.
Workload van_de_geijn_broadcast(double bytes, double nodes, double packet_bytes);

/// Ring all-gather: P-1 steps, in each of which every node passes on one contribution.
Workload ring_allgather(double bytes, double nodes, double packet_bytes);

/// Recursive doubling: log2 P steps. In step s = 0.. every node sends the 2^s contributions that it has. P
/// must be a power of 2.
Workload recursive_doubling_allgather(double bytes, double nodes, double packet_bytes);

/// Bruck: ⌈log2 P⌉ steps for any P, the last of them shorter.
Workload bruck_allgather(double bytes, double nodes, double packet_bytes);

}  // namespace lbsp::model::paper
