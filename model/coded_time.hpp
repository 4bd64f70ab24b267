#pragma once

#include <vector>

#include "model/exchange_time.hpp"

namespace lbsp::model {

/// How many fresh coded packets a message gets in a later round, when it lacks d: the fewest N of which at
/// least d arrive but for a probability of `residual` (ε2 in (0, 1]; 1: just d). Computed once for a loss,
/// used for many plans.
class RepairTable {
 public:
  /// Throws std::invalid_argument for a loss outside [0, 1) or a residual outside (0, 1].
  RepairTable(double loss, double residual, int most_lacking);
  int packets_for(int lacking) const { return packets_[static_cast<std::size_t>(lacking)]; }
  double residual() const { return residual_; }

 private:
  double residual_;
  std::vector<int> packets_;
};

/// A superstep whose messages of m packets go as m + r packets of an ideal erasure code: any m of them
/// suffice.
struct CodedTime {
  double seconds;       ///< expected
  double second_round;  ///< P_1: the probability that some message needs more than one round
};

/// With F_i the probability that a message lacks something after i rounds (F_1 = I_p(r+1, m); from then on
/// the lack is a Markov chain d → max(0, d - Binomial(N(d), 1-p))), P_i = 1 - (1-F_i)^M, and E_i what a node
/// sends on average after round i:
///   T = RTT/2 + (h + (h/m)·r)·α + Σ_{i≥1} [ P_i·RTT + α·max(E_i, P_i) ]
/// `repair` must be made for the network's loss and for at least m lacking packets. About 1e-10 relative.
/// Costs up to m² operations a round.
///
/// Throws std::invalid_argument as receiver_time(); also for r < 0 and m that is not whole or above 100 000.
CodedTime coded_time(const Traffic& traffic, const Network& network, int repair_packets,
                     const RepairTable& repair);

struct CodedPlan {
  int repair_packets = 0;  ///< r
  double residual = 1;     ///< ε2
  CodedTime time{0, 0};
};

/// The best r, and of ε2 in 1, 0.3, 0.1, 1e-2 .. 1e-14. Descends from the r whose next packet no longer pays:
/// M [F_1(r) - F_1(r+1)] RTT ≤ (h/m) α. Some 0.1 s for m = 1000.
CodedPlan best_coded_plan(const Traffic& traffic, const Network& network);

}  // namespace lbsp::model
