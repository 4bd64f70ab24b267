#include "model/paper/collectives.hpp"

#include <algorithm>
#include <cmath>

#include "model/mathematics/require.hpp"

namespace lbsp::model::paper {
namespace {

Workload make(const char* name, double bytes, double nodes, double packet_bytes) {
  mathematics::require_positive(bytes, "a message size");
  mathematics::require_count(nodes, "nodes");
  mathematics::require_positive(packet_bytes, "a packet size");
  if (nodes != std::floor(nodes))
    throw std::invalid_argument(std::to_string(nodes) + " nodes: give a whole number");
  return {.name = name, .nodes = nodes, .message_bytes = bytes};
}

void add_ring(Workload& workload, double packets) {
  if (workload.nodes > 1) workload.steps.push_back({workload.nodes - 1, workload.nodes * packets, packets});
}

}  // namespace

Workload binomial_broadcast(double bytes, double nodes, double packet_bytes) {
  Workload workload = make("binomial broadcast", bytes, nodes, packet_bytes);
  const double packets = packets_per_message(bytes, packet_bytes);
  for (double senders = 1; senders < nodes; senders *= 2)
    workload.steps.push_back({1, std::min(senders, nodes - senders) * packets, packets});
  return workload;
}

Workload van_de_geijn_broadcast(double bytes, double nodes, double packet_bytes) {
  Workload workload = make("Van de Geijn broadcast", bytes, nodes, packet_bytes);
  for (double senders = 1; senders < nodes; senders *= 2) {
    const double packets = packets_per_message(bytes / (2 * senders), packet_bytes);
    workload.steps.push_back({1, std::min(senders, nodes - senders) * packets, packets});
  }
  add_ring(workload, packets_per_message(bytes / nodes, packet_bytes));
  return workload;
}

Workload ring_allgather(double bytes, double nodes, double packet_bytes) {
  Workload workload = make("ring all-gather", bytes, nodes, packet_bytes);
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
  Workload workload = make("Bruck all-gather", bytes, nodes, packet_bytes);
  for (double blocks = 1; blocks < nodes; blocks *= 2) {
    const double packets = packets_per_message(std::min(blocks, nodes - blocks) * bytes, packet_bytes);
    workload.steps.push_back({1, nodes * packets, packets});
  }
  return workload;
}

}  // namespace lbsp::model::paper
