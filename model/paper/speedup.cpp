#include "model/paper/speedup.hpp"

#include <cmath>
#include <limits>

#include "model/mathematics/require.hpp"

namespace lbsp::model::paper {

void require_network(const Network& network, int copies) {
  mathematics::require_loss(network.loss);
  mathematics::require_copies(copies);
  mathematics::require_not_negative(network.packet_seconds, "a packet time");
  mathematics::require_not_negative(network.round_trip, "a delay");
}

Prediction predict(const Superstep& superstep, const Network& network, int copies, Scheme scheme) {
  mathematics::require_positive(superstep.work_seconds, "a work");
  mathematics::require_count(superstep.nodes, "nodes");
  require_network(network, copies);
  const auto [work, nodes, packets] = superstep;
  Prediction out;
  out.granularity = std::numeric_limits<double>::infinity();
  if (packets != 0) {
    out.rounds = expected_rounds(scheme, network.loss, copies, packets);
    out.half_timeout =
        half_round_timeout(copies, packets / nodes, network.packet_seconds, network.round_trip);
    const double rounds = out.rounds.value();
    // Infinitely many rounds of no time at all take none.
    out.communication = out.half_timeout == 0 ? 0 : 2 * rounds * out.half_timeout;
    out.granularity = work / (2 * nodes * out.half_timeout);
    if (network.round_trip > 0) out.delay_share = 2 * nodes * network.round_trip * rounds / work;
    if (network.packet_seconds > 0)
      out.serialisation_share = 2 * copies * rounds * packets * network.packet_seconds / work;
  }
  out.seconds = work / nodes + out.communication;
  out.speedup = work / out.seconds;
  out.efficiency = out.speedup / nodes;
  return out;
}

std::string_view dominating_term(PacketsPerSuperstep kind) {
  if (kind == PacketsPerSuperstep::n) return "both";
  return kind > PacketsPerSuperstep::n ? "serialisation" : "delay";
}

}  // namespace lbsp::model::paper
