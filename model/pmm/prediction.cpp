#include "model/pmm/prediction.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "model/mathematics/require.hpp"

namespace lbsp::model::pmm {
namespace {

/// ⌈log2 side⌉: the paper's own numbers need it rounded up.
double levels(double side) {
  int exponent = 0;
  const double mantissa = std::frexp(side, &exponent);
  return mantissa == 0.5 ? exponent - 1 : exponent;
}

/// The transfers of a block that a process waits for in one iteration, the one it passes on included.
double transfers_of_iteration(Broadcast broadcast, Overlap overlap, double side) {
  const bool mean = overlap == Overlap::average;
  switch (broadcast) {
    case Broadcast::flat:
      return mean ? (side + 1) / 2 : side;
    case Broadcast::binomial:
      return mean ? (levels(side) + 1) / 2 : levels(side) + 1;
    case Broadcast::pipeline:
      return 2;
  }
  return 0;
}

void require_order(double order, double side) {
  mathematics::require_count(order, "rows");
  if (std::fmod(order, side) != 0)
    throw std::invalid_argument("an order of " + std::to_string(std::llround(order)) + " on a mesh of side " +
                                std::to_string(std::llround(side)) + ": give a multiple of the side");
}

}  // namespace

double mesh_side(double nodes) {
  mathematics::require_count(nodes, "nodes");
  const double side = std::round(std::sqrt(nodes));
  if (side * side != nodes)
    throw std::invalid_argument(mathematics::shown(nodes) + " nodes: give a square, such as 4, 9 or 16");
  return side;
}

double transfers(Broadcast broadcast, Overlap overlap, double nodes) {
  const double side = mesh_side(nodes);
  // Each iteration's transfers are of M²/q² elements, and there are q iterations.
  return side == 1 ? 0 : transfers_of_iteration(broadcast, overlap, side) / side;
}

double startups(Broadcast broadcast, Overlap overlap, double nodes) {
  const double side = mesh_side(nodes);
  if (side == 1) return 0;
  if (overlap == Overlap::average) return side * transfers_of_iteration(broadcast, overlap, side);
  switch (broadcast) {
    case Broadcast::flat:
      return side;
    case Broadcast::binomial:
      return side * levels(side);
    case Broadcast::pipeline:
      return side * 2;
  }
  return 0;
}

double schedules(Overlap overlap, double nodes) {
  const double each = overlap == Overlap::average ? (nodes + 1) / 2 : nodes;
  return mesh_side(nodes) * each;
}

Prediction predict(Broadcast broadcast, Overlap overlap, double nodes, double order, const Rates& rates) {
  require_order(order, mesh_side(nodes));
  mathematics::require_positive(rates.elements_per_second, "a rate of elements");
  mathematics::require_positive(rates.flops_per_second, "a rate of flops");
  mathematics::require_not_negative(rates.schedule_seconds, "a time to schedule a task");
  mathematics::require_not_negative(rates.startup_seconds, "a time to start a transfer");
  Prediction out;
  out.communicate = transfers(broadcast, overlap, nodes) * order * order / rates.elements_per_second +
                    startups(broadcast, overlap, nodes) * rates.startup_seconds;
  out.compute = 2 * order * order * order / (nodes * rates.flops_per_second);
  out.schedule = schedules(overlap, nodes) * rates.schedule_seconds;
  out.total = out.communicate + out.compute + out.schedule;
  out.efficiency = out.compute / out.total;
  out.overhead = (out.communicate + out.schedule) / out.compute;
  return out;
}

}  // namespace lbsp::model::pmm
