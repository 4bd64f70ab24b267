#include "model/paper/workload.hpp"

#include "model/mathematics/require.hpp"

namespace lbsp::model::paper {

WorkloadCost cost_of(const Workload& workload, const Network& network, int copies, Scheme scheme) {
  mathematics::require_count(workload.nodes, "nodes");
  require_network(network, copies);
  mathematics::require_not_negative(workload.sequential_seconds, "a sequential work");
  mathematics::require_not_negative(workload.parallel_seconds, "a work per node");
  WorkloadCost cost;
  double most_packets = 0;
  for (const CommunicationStep& step : workload.steps) {
    if (step.packets == 0) continue;
    const ExpectedRounds rounds = expected_rounds(scheme, network.loss, copies, step.packets);
    const double timeout =
        half_round_timeout(copies, step.packets_per_node, network.packet_seconds, network.round_trip);
    if (timeout > 0)
      cost.communication += workload.packets_per_message * step.times * 2 * rounds.value() * timeout;
    if (step.packets > most_packets) {
      most_packets = step.packets;
      cost.rounds = rounds;
    }
  }
  cost.seconds = workload.parallel_seconds + cost.communication;
  if (workload.sequential_seconds > 0) cost.speedup = workload.sequential_seconds / cost.seconds;
  cost.efficiency = cost.speedup / workload.nodes;
  return cost;
}

Workload in_one_superstep(Workload workload) {
  for (CommunicationStep& step : workload.steps) {
    step.packets *= workload.packets_per_message;
    step.packets_per_node *= workload.packets_per_message;
  }
  workload.packets_per_message = 1;
  return workload;
}

}  // namespace lbsp::model::paper
