#include "model/tuning/program.hpp"

#include <algorithm>
#include <cmath>

#include "model/mathematics/require.hpp"

namespace lbsp::model::tuning {
namespace {

/// Every job ends with a short superstep.
constexpr double ending = 1;
/// A ready program tells rank 0 its times before.
constexpr double times_and_ending = 2;

/// Work that divides evenly. On one node nothing is sent.
Program make(const char* name, double nodes, double sequential_seconds, const Sends& sends) {
  return {nodes == 1 ? Sends{} : sends, name, nodes, sequential_seconds, sequential_seconds / nodes};
}

void require_share(double parts, double nodes, const char* what) {
  mathematics::require_count(nodes, "nodes");
  if (parts < nodes)
    throw std::invalid_argument(std::string("fewer ") + what + " than nodes: give each node at least one");
}

}  // namespace

std::vector<double> admissible_nodes(Admissible rule, double most) {
  mathematics::require_count(most, "nodes");
  std::vector<double> nodes;
  for (double i = 1;; ++i) {
    const double next = rule == Admissible::squares         ? i * i
                        : rule == Admissible::powers_of_two ? std::exp2(i - 1)
                                                            : i;
    if (next > most) return nodes;
    nodes.push_back(next);
  }
}

Program matmul_program(double size, double nodes, double flops) {
  mathematics::require_positive(size, "a matrix size");
  mathematics::require_positive(flops, "a compute rate");
  require_share(size * size, nodes, "elements");
  return make("matmul", nodes, 2 * size * size * size / flops,
              {1, 2 * (std::sqrt(nodes) - 1), 8 * size * size / nodes, times_and_ending});
}

Program fox_program(double size, double nodes, double flops) {
  Program program = matmul_program(size, nodes, flops);
  program.name = "fox";
  if (nodes == 1) return program;
  const double side = std::sqrt(nodes);
  program.supersteps = side;
  program.destinations = side - 1 / side;
  return program;
}

Program bitonic_sort_program(double keys, double nodes, double comparisons) {
  mathematics::require_positive(keys, "a number of keys");
  mathematics::require_positive(comparisons, "a rate of comparisons");
  require_share(keys, nodes, "keys");
  const double own = keys / nodes;
  const double levels = std::log2(nodes);
  Program program = make("bitonic_sort", nodes, keys * std::log2(keys) / comparisons,
                         {levels * (levels + 1) / 2, 1, 8 * own, 1 + times_and_ending, true});
  program.parallel_seconds = (own * std::log2(own) + levels * (levels + 1) * (own - 0.5)) / comparisons;
  return program;
}

Program fft2d_program(double side, double nodes, double flops) {
  mathematics::require_positive(side, "a grid size");
  mathematics::require_positive(flops, "a compute rate");
  require_share(side, nodes, "rows");
  return make("fft2d", nodes, 5 * side * side * std::log2(side * side) / flops,
              {2, nodes - 1, 16 * side * side / (nodes * nodes), times_and_ending});
}

Program jacobi_program(const JacobiGrid& grid, double nodes, double flops) {
  mathematics::require_positive(grid.sweeps, "a number of sweeps");
  mathematics::require_positive(flops, "a compute rate");
  if (!(grid.side >= 3))
    throw std::invalid_argument("a grid without a point inside: give 3 points a side or more");
  if (!(grid.halo >= 1)) throw std::invalid_argument("a halo without a point: give it 1 or more");
  const double inside = grid.side - 2;
  require_share(inside, nodes, "rows");
  const double depth = std::min(grid.halo, grid.sweeps);
  const double height = inside / nodes;
  const double edges = std::min(nodes - 1, 2.);
  Program program =
      make("jacobi", nodes, 5 * grid.sweeps * inside * inside / flops,
           {std::ceil(grid.sweeps / depth), std::min(nodes - 1, edges * std::ceil(depth / height)),
            8 * grid.side * std::min(depth, std::floor(height)), 1 + times_and_ending});
  const double rows_more = std::min(edges * (depth - 1) / 2, inside - height);  // in the mean of the sweeps
  program.parallel_seconds += 5 * grid.sweeps * rows_more * inside / flops;
  return program;
}

Program own_program(const OwnProgram& own, double nodes) {
  mathematics::require_positive(own.work_seconds, "a work");
  mathematics::require_positive(own.supersteps, "a number of supersteps");
  mathematics::require_not_negative(own.message_bytes, "a message size");
  mathematics::require_not_negative(own.destinations, "a number of destinations");
  mathematics::require_count(nodes, "nodes");
  const double others = nodes - 1;
  const double destinations = own.destinations == 0 ? others : std::min(own.destinations, others);
  return make("own", nodes, own.work_seconds, {own.supersteps, destinations, own.message_bytes, ending});
}

}  // namespace lbsp::model::tuning
