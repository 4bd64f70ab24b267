#pragma once

#include "model/paper/speedup.hpp"

namespace lbsp::model::paper {

/// What one superstep sends: M messages of m packets each, h packets per node. c = M·m packets in all.
struct Traffic {
  double messages = 0;             ///< M
  double packets_per_message = 1;  ///< m
  double packets_per_node = 0;     ///< h
  double packets() const { return messages * packets_per_message; }

  /// Every node to every other: M = n(n-1), h = (n-1)m.
  static Traffic all_to_all(double nodes, double packets_per_message);
  /// Every node to the next: M = n, h = m.
  static Traffic ring(double nodes, double packets_per_message);
};

/// The copies of a packet when it is first sent, and whenever it is sent again.
struct CopyPlan {
  int first = 1;  ///< k1
  int later = 1;  ///< k2
};

/// A receiver-driven superstep: each node closes it when all it expects has arrived; acknowledgements
/// only stop the sender. With u_i = p^k1 · p^(k2(i-1)), a packet is missing after i rounds, and round i+1
/// happens with probability P_i = 1 - (1-u_i)^c; it leaves one round trip after the last and carries what is
/// missing:
///   T = RTT/2 + k1·h·α + Σ_{i≥1} [ P_i·RTT + k2·α·max(h·u_i, P_i) ]
/// Expected seconds. Loss independent of the load and from copy to copy. Within 1e-14 relative; 1e-7 where
/// p^k2 > 0.999.
///
/// These functions throw std::invalid_argument for p outside [0, 1), k < 1, fewer than 1 packet, negative
/// times.
double receiver_time(const Traffic& traffic, const Network& network, const CopyPlan& plan);

/// The time within which the superstep ends with a probability of `level` in (0, 1): that of the rounds that
/// suffice.
double receiver_time_quantile(const Traffic& traffic, const Network& network, const CopyPlan& plan,
                              double level);

/// Selective resending without slack: round i lasts RTT + k·α·max(h·f^i, P_i), and the superstep ends when
/// all is acknowledged. What the paper's protocol would cost if it charged rounds for what they carry.
double acknowledged_time(const Traffic& traffic, const Network& network, int copies);

/// The paper's cost, 2 ρ̂ (k·h·α + RTT), all packets in one superstep …
double paper_time(const Traffic& traffic, const Network& network, int copies);
/// … and in γ = m supersteps of one packet per message.
double paper_time_packet_by_packet(const Traffic& traffic, const Network& network, int copies);

/// RTT/2 + h·α/(1-p): no scheme is faster, as h/(1-p) packets must be sent for h to arrive.
double exchange_lower_bound(const Traffic& traffic, const Network& network);

/// The best k of 1..K, k1 = k2.
CopyPlan best_copies(const Traffic& traffic, const Network& network);
/// The best pair k1, k2 of 1..K.
CopyPlan best_copy_plan(const Traffic& traffic, const Network& network);

/// K = ⌈ln(1e6·c) / ln(1/p)⌉, at most 4096: with more copies less than 2e-6 of the rounds can be gained.
int copies_worth_trying(double loss, double packets);

}  // namespace lbsp::model::paper
