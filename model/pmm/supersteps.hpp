#pragma once

#include "model/paper/speedup.hpp"

namespace lbsp::model::pmm {

/// Fox's product in supersteps over a network that loses packets: one superstep for each iteration, in which the next
/// broadcast and the roll go together.
struct Iteration {
  double supersteps = 0;        ///< q
  double packets = 0;           ///< c: of all processes in a superstep, γ (2N - q)
  double average_packets = 0;   ///< of a process, c/N
  double critical_packets = 0;  ///< of a row's root, γ q: the process that sends most
  double work_seconds = 0;      ///< multiplying, of a process in a superstep
};

/// γ is ⌈8 (M/q)² / packet_bytes⌉. Throws std::invalid_argument as predict() does, and for sizes not above 0.
Iteration iteration(double nodes, double order, double packet_bytes, double flops_per_second);

/// Whose packets a superstep's length is counted by.
enum class Load { average, critical };

/// The time of the whole product by the L-BSP model: q [2 ρ̂(c) (k·load·α + β) + work], work alone on one process.
/// Infinite where ρ̂ overflows. Throws what iteration() and paper::require_network() throw.
double lossy_seconds(const Iteration& iteration, const paper::Network& network, int copies, Load load,
                     paper::Scheme scheme = paper::Scheme::rounds);

}  // namespace lbsp::model::pmm
