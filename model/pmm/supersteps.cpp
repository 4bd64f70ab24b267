#include "model/pmm/supersteps.hpp"

#include "model/mathematics/require.hpp"
#include "model/pmm/prediction.hpp"

namespace lbsp::model::pmm {

Iteration iteration(double nodes, double order, double packet_bytes, double flops_per_second) {
  mathematics::require_positive(packet_bytes, "a packet size");
  // Only what it refuses is wanted here: the transfers are those of supersteps.
  const Prediction checked =
      predict(Broadcast::flat, Overlap::barrier, nodes, order, {1, flops_per_second, 0});
  const double side = mesh_side(nodes);
  Iteration out;
  out.supersteps = side;
  out.work_seconds = checked.compute / side;
  if (side == 1) return out;
  const double block_bytes = 8 * (order / side) * (order / side);
  const double each = paper::packets_per_message(block_bytes, packet_bytes);
  out.packets = each * (2 * nodes - side);
  out.average_packets = out.packets / nodes;
  out.critical_packets = each * side;
  return out;
}

double lossy_seconds(const Iteration& iteration, const paper::Network& network, int copies, Load load,
                     paper::Scheme scheme) {
  paper::require_network(network, copies);
  double communicate = 0;
  if (iteration.packets > 0) {
    const double packets = load == Load::average ? iteration.average_packets : iteration.critical_packets;
    communicate = 2 * paper::expected_rounds(scheme, network.loss, copies, iteration.packets).value() *
                  paper::half_round_timeout(copies, packets, network.packet_seconds, network.round_trip);
  }
  return iteration.supersteps * (communicate + iteration.work_seconds);
}

}  // namespace lbsp::model::pmm
