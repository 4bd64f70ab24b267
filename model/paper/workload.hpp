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

/// A parallel program as the model needs it. The functions of algorithms.hpp and collectives.hpp make those
/// of the paper; fill one in for your own program.
struct Workload {
  std::string name;
  double nodes = 1;                ///< P
  double sequential_seconds = 0;   ///< w_s: on one node
  double parallel_seconds = 0;     ///< w_p: on each of P nodes
  double message_bytes = 0;        ///< of the longest message, 0 if steps say it all
  double packets_per_message = 1;  ///< γ: each step is a superstep of its own for each packet of its messages
  std::vector<CommunicationStep> steps{};
};

/// What a workload costs on a network.
struct WorkloadCost {
  ExpectedRounds rounds{0, 0};  ///< ρ̂ of the step with the most packets
  double communication = 0;     ///< T_comm = γ Σ_s times_s · 2 ρ̂(c_s) (k h_s α + β), seconds
  double seconds = 0;           ///< w_p + T_comm
  double speedup = 0;           ///< S = w_s / (w_p + T_comm); 0 if nothing is computed (a collective)
  double efficiency = 0;        ///< E = S/P
};

/// Throws std::invalid_argument as predict() does.
WorkloadCost cost_of(const Workload& workload, const Network& network, int copies,
                     Scheme scheme = Scheme::rounds);

/// The same workload with the γ packets of a message in one superstep instead of γ supersteps of one packet
/// each: γ·c packets, γ·h per node, and one delay.
Workload in_one_superstep(Workload workload);

}  // namespace lbsp::model::paper
