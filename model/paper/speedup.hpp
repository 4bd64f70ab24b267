#pragma once

#include <cmath>
#include <string_view>

#include "model/paper/packets_per_superstep.hpp"
#include "model/paper/rounds.hpp"

namespace lbsp::model::paper {

/// The network as L-BSP sees it: every pair of nodes is alike.
struct Network {
  double loss = 0;            ///< p, of one copy of a packet or an acknowledgement, in [0, 1)
  double packet_seconds = 0;  ///< α: packet size over bandwidth
  double round_trip = 0;      ///< β, seconds
};

/// Throws std::invalid_argument for p outside [0, 1), k < 1, negative times.
void require_network(const Network& network, int copies);

/// One superstep of n nodes.
struct Superstep {
  double work_seconds = 0;  ///< w: on one node
  double nodes = 1;         ///< n
  double packets = 0;       ///< c: distinct packets of all nodes
};

/// What a superstep or a program costs.
struct Cost {
  ExpectedRounds rounds{0, 0};  ///< ρ̂; of a program, that of the step with the most packets
  double communication = 0;     ///< 2 ρ̂ τ_k, summed over a program, seconds; infinite where it overflows
  double seconds = 0;           ///< the work of each node + communication
  double speedup = 0;           ///< S = the work on one node / seconds; 0 if nothing is computed
  double efficiency = 0;        ///< S/n
};

/// What L-BSP predicts for a superstep (the paper's section 3).
struct Prediction : Cost {
  double half_timeout = 0;         ///< τ_k = k·h·α + β with h = c/n; a round lasts 2τ_k
  double granularity = 0;          ///< G_k = w / (2 n τ_k); infinite without communication
  double delay_share = 0;          ///< 2 n β ρ̂ / w, the delay's term of (6)'s denominator
  double serialisation_share = 0;  ///< 2 k ρ̂ c α / w, the packets' term
};

/// Equation (6), S = n / (1 + 2 k ρ̂ c α / w + 2 n β ρ̂ / w), which is (5), S = n G_k / (G_k + ρ̂), written out,
/// and (4) for k = 1. With Scheme::whole_round the paper's section 3.1; an overflowing ρ̂ gives a speedup of
/// 0. Without packets (c = 0, one node) there is no communication, and ρ̂ counts for nothing.
///
/// Throws std::invalid_argument for p outside [0, 1), k < 1, n < 1, w ≤ 0, negative times, 0 < c < 1.
Prediction predict(const Superstep& superstep, const Network& network, int copies,
                   Scheme scheme = Scheme::rounds);

/// The term of (6)'s denominator that decides as n grows (the paper's Table I): delay, serialisation or both.
std::string_view dominating_term(PacketsPerSuperstep kind);

/// γ = ⌈message / packet⌉: the packets of a message, each of which the paper sends in a superstep of its own.
inline double packets_per_message(double message_bytes, double packet_bytes) {
  return std::ceil(message_bytes / packet_bytes);
}

}  // namespace lbsp::model::paper
