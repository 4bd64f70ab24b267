#pragma once

#include <optional>

#include "model/paper/packets_per_superstep.hpp"

namespace lbsp::model::paper::conceptual {

/// The paper's section 2: communication takes no time, but a superstep in which any packet or acknowledgement
/// is lost is computed again. Losses are independent; u = p^k is the probability to lose all k copies.
/// Every function throws std::invalid_argument for p outside [0, 1), k < 1, n < 1.

/// S = n·(1-u)^(2c(n)): the probability that all c packets and their acknowledgements arrive, times n. 0 if it
/// underflows.
double speedup(PacketsPerSuperstep kind, double nodes, double loss, int copies);

/// ln S, which does not underflow.
double log_speedup(PacketsPerSuperstep kind, double nodes, double loss, int copies);

/// The real n that makes the speedup largest, in closed form, with a = -2 ln(1-u) (the paper takes a ≈ 2u):
///   log2²n: exp(ln²2 / 2a)      n: 1/a      n²: 1/√(2a)
///   n·log2 n: A / W(eA), A = ln 2 / a, W of Lambert (the paper: numeric only)
/// None where the speedup has no maximum: c = 1 (linear in n), and c = log2 n, whose S = n^(1 + 2 log2(1-u))
/// grows for ever while u < 1 - 1/√2 = 0.2929 and only falls beyond; and everywhere for p = 0.
/// Infinite where it overflows. May be less than 1: then nothing is gained by a second node.
std::optional<double> optimal_nodes(PacketsPerSuperstep kind, double loss, int copies);

/// The whole n ≥ 1 with the largest speedup: the floor or the ceiling of the real one, or 1. None where the
/// speedup grows with n for ever.
std::optional<double> optimal_whole_nodes(PacketsPerSuperstep kind, double loss, int copies);

}  // namespace lbsp::model::paper::conceptual
