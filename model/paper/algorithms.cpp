#include "model/paper/algorithms.hpp"

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
Workload make(const char* name, double nodes, double sequential_seconds, double message_bytes,
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

}  // namespace

Workload matmul(double size, double nodes, const Machine& machine) {
  validate(size, "a matrix size", nodes, machine);
  const double side = std::sqrt(nodes);
  return make("matmul", nodes, (2 * size * size * size - size * size) / machine.flops,
              4 * size * size / nodes, machine, {1, 2 * (nodes * side - nodes), 2 * (side - 1)});
}

Workload bitonic_sort(double keys, double nodes, const Machine& machine) {
  validate(keys, "a number of keys", nodes, machine);
  const double levels = std::log2(nodes);
  const double own = keys / nodes;
  if (own < 1) throw std::invalid_argument("fewer keys than nodes: give at least one key for every node");
  Workload workload = make("bitonic_sort", nodes, keys * std::log2(keys) / machine.flops, 4 * own, machine,
                           {levels * (levels + 1) / 2, nodes, 1});
  workload.parallel_seconds = (own * std::log2(own) + levels * (levels + 1) * (own - 0.5)) / machine.flops;
  return workload;
}

Workload fft2d(double points, double nodes, const Machine& machine) {
  validate(points, "a number of points", nodes, machine);
  const double own = points / nodes;
  if (own < 1) throw std::invalid_argument("fewer points than nodes: give at least one point for every node");
  Workload workload = make("fft2d", nodes, 5 * points * std::log2(points) / machine.flops, 16 * own / nodes,
                           machine, {2, nodes * (nodes - 1), nodes - 1});
  if (nodes > 1) workload.parallel_seconds = 10 * own * std::log2(own) / machine.flops;
  return workload;
}

Workload paper_jacobi(double m, double nodes, const Machine& machine) {
  validate(m, "a grid size", nodes, machine);
  constexpr double diagonals = 5;
  const double sweeps = std::log2(nodes);
  return make("laplace", nodes, 2 * diagonals * sweeps * (m - 1) * (m - 1) / machine.flops, 24, machine,
              {sweeps, 2 * (nodes - 1), 2 * (nodes - 1) / nodes});
}

Workload jacobi(double m, double sweeps, double nodes, const Machine& machine) {
  validate(m, "a grid size", nodes, machine);
  mathematics::require_positive(sweeps, "a number of sweeps");
  if (m < 2) throw std::invalid_argument("a grid of 1 point a side has no inside: give 2 or more");
  return make("jacobi", nodes, 10 * sweeps * (m - 1) * (m - 1) / machine.flops, 8 * (m - 1), machine,
              {sweeps, 2 * (nodes - 1), nodes == 2 ? 1. : 2.});
}

}  // namespace lbsp::model::paper
