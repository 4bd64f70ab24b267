#include "model/paper/workloads.hpp"

#include <algorithm>
#include <cmath>

#include "model/mathematics/require.hpp"

namespace lbsp::model::paper {
namespace {

void validate(double size, const char* what, double nodes, const Machine& machine) {
  mathematics::require_positive(size, what);
  mathematics::require_count(nodes, "nodes");
  mathematics::require_positive(machine.flops, "a compute rate");
  mathematics::require_positive(machine.packet_bytes, "a packet size");
}

/// Work that divides evenly. One node sends nothing.
Workload algorithm(const char* name, double nodes, double sequential_seconds, double message_bytes,
                   const Machine& machine, CommunicationStep step) {
  Workload workload{.name = name,
                    .nodes = nodes,
                    .sequential_seconds = sequential_seconds,
                    .parallel_seconds = sequential_seconds / nodes,
                    .message_bytes = message_bytes,
                    .packets_per_message = packets_per_message(message_bytes, machine.packet_bytes)};
  if (nodes > 1) workload.steps = {step};
  return workload;
}

Workload collective(const char* name, double bytes, double nodes, double packet_bytes) {
  mathematics::require_positive(bytes, "a message size");
  mathematics::require_count(nodes, "nodes");
  mathematics::require_positive(packet_bytes, "a packet size");
  if (nodes != std::floor(nodes))
    throw std::invalid_argument(std::to_string(nodes) + " nodes: give a whole number");
  return {.name = name, .nodes = nodes, .message_bytes = bytes};
}

/// ⌈log2 P⌉ steps. In each, all nodes that have something yet send as many packets as `packets` says.
template <class Packets>
void add_tree(Workload& workload, Packets packets) {
  for (double senders = 1; senders < workload.nodes; senders *= 2) {
    const double each = packets(senders);
    workload.steps.push_back({1, std::min(senders, workload.nodes - senders) * each, each});
  }
}

void add_ring(Workload& workload, double packets) {
  if (workload.nodes > 1) workload.steps.push_back({workload.nodes - 1, workload.nodes * packets, packets});
}

}  // namespace

Cost cost_of(const Workload& workload, const Network& network, int copies, Scheme scheme) {
  mathematics::require_count(workload.nodes, "nodes");
  require_network(network, copies);
  mathematics::require_not_negative(workload.sequential_seconds, "a sequential work");
  mathematics::require_not_negative(workload.parallel_seconds, "a work per node");
  Cost cost;
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

Workload matmul(double size, double nodes, const Machine& machine) {
  validate(size, "a matrix size", nodes, machine);
  const double side = std::sqrt(nodes);
  return algorithm("matmul", nodes, (2 * size * size * size - size * size) / machine.flops,
                   4 * size * size / nodes, machine, {1, 2 * (nodes * side - nodes), 2 * (side - 1)});
}

Workload bitonic_sort(double keys, double nodes, const Machine& machine) {
  validate(keys, "a number of keys", nodes, machine);
  const double levels = std::log2(nodes);
  const double own = keys / nodes;
  if (own < 1) throw std::invalid_argument("fewer keys than nodes: give at least one key for every node");
  Workload workload = algorithm("bitonic_sort", nodes, keys * std::log2(keys) / machine.flops, 4 * own,
                                machine, {levels * (levels + 1) / 2, nodes, 1});
  workload.parallel_seconds = (own * std::log2(own) + levels * (levels + 1) * (own - 0.5)) / machine.flops;
  return workload;
}

Workload fft2d(double points, double nodes, const Machine& machine) {
  validate(points, "a number of points", nodes, machine);
  const double own = points / nodes;
  if (own < 1) throw std::invalid_argument("fewer points than nodes: give at least one point for every node");
  Workload workload = algorithm("fft2d", nodes, 5 * points * std::log2(points) / machine.flops,
                                16 * own / nodes, machine, {2, nodes * (nodes - 1), nodes - 1});
  if (nodes > 1) workload.parallel_seconds = 10 * own * std::log2(own) / machine.flops;
  return workload;
}

Workload paper_jacobi(double m, double nodes, const Machine& machine) {
  validate(m, "a grid size", nodes, machine);
  constexpr double diagonals = 5;
  const double sweeps = std::log2(nodes);
  return algorithm("laplace", nodes, 2 * diagonals * sweeps * (m - 1) * (m - 1) / machine.flops, 24, machine,
                   {sweeps, 2 * (nodes - 1), 2 * (nodes - 1) / nodes});
}

Workload jacobi(double m, double sweeps, double nodes, const Machine& machine) {
  validate(m, "a grid size", nodes, machine);
  mathematics::require_positive(sweeps, "a number of sweeps");
  if (m < 2) throw std::invalid_argument("a grid of 1 point a side has no inside: give 2 or more");
  return algorithm("jacobi", nodes, 10 * sweeps * (m - 1) * (m - 1) / machine.flops, 8 * (m - 1), machine,
                   {sweeps, 2 * (nodes - 1), nodes == 2 ? 1. : 2.});
}

Workload binomial_broadcast(double bytes, double nodes, double packet_bytes) {
  Workload workload = collective("binomial broadcast", bytes, nodes, packet_bytes);
  add_tree(workload, [&](double) { return packets_per_message(bytes, packet_bytes); });
  return workload;
}

Workload van_de_geijn_broadcast(double bytes, double nodes, double packet_bytes) {
  Workload workload = collective("Van de Geijn broadcast", bytes, nodes, packet_bytes);
  add_tree(workload,
           [&](double senders) { return packets_per_message(bytes / (2 * senders), packet_bytes); });
  add_ring(workload, packets_per_message(bytes / nodes, packet_bytes));
  return workload;
}

Workload ring_allgather(double bytes, double nodes, double packet_bytes) {
  Workload workload = collective("ring all-gather", bytes, nodes, packet_bytes);
  add_ring(workload, packets_per_message(bytes, packet_bytes));
  return workload;
}

Workload recursive_doubling_allgather(double bytes, double nodes, double packet_bytes) {
  if (std::exp2(std::round(std::log2(nodes))) != nodes)
    throw std::invalid_argument("recursive doubling on " + std::to_string(nodes) +
                                " nodes: give a power of 2, or use Bruck's all-gather");
  Workload workload = bruck_allgather(bytes, nodes, packet_bytes);
  workload.name = "recursive-doubling all-gather";
  return workload;
}

Workload bruck_allgather(double bytes, double nodes, double packet_bytes) {
  Workload workload = collective("Bruck all-gather", bytes, nodes, packet_bytes);
  for (double blocks = 1; blocks < nodes; blocks *= 2) {
    const double packets = packets_per_message(std::min(blocks, nodes - blocks) * bytes, packet_bytes);
    workload.steps.push_back({1, nodes * packets, packets});
  }
  return workload;
}

}  // namespace lbsp::model::paper
