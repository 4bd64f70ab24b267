#pragma once

namespace lbsp::model::paper {

/// How lost packets are sent again, round after round.
enum class Scheme {
  whole_round,  ///< all c packets, if one of them or of their acknowledgements is lost
  rounds,       ///< those packets that are not acknowledged: selective retransmission
  receiver,     ///< those packets that have not arrived: the receiver closes its superstep when it has all
};

/// ρ̂, the expected rounds (transmissions) of a superstep, 1 or more.
struct ExpectedRounds {
  double minus_one;  ///< ρ̂-1 with its own precision, down to 1e-300; infinite where it overflows
  double log;        ///< ln ρ̂, never overflows
  double value() const { return 1 + minus_one; }
};

/// ln u, u = p^k: the probability that all k copies of a packet are lost, each with p, independently. Throws
/// std::invalid_argument: p outside [0, 1), k < 1.
double log_all_copies_lost(double loss, int copies);

/// The rounds of a superstep of `packets` = c distinct packets in the whole system. Each copy of a packet or
/// of an acknowledgement is lost with probability `loss` = p, and each is sent in `copies` = k copies. With
/// u = p^k, the probability that all copies are lost:
///   whole_round  ρ̂ = (1-u)^(-2c)                                 the paper's section 3, its p_s^(-1)
///   rounds       ρ̂ = Σ_{i≥0} [1 - (1-f^i)^c],  f = 1 - (1-u)²    the paper's (3)
///   receiver     the same with f = u
/// c may be real (log2 n), 1 or more. ρ̂-1 is accurate to 1e-12 relative. For p ≤ 0.3 and c ≤ 1e6 it takes
/// less than 1 µs.
///
/// Throws std::invalid_argument: p outside [0, 1), k < 1, c < 1.
ExpectedRounds expected_rounds(Scheme scheme, double loss, int copies, double packets);

/// The variance of the number of rounds; infinite where it overflows.
double rounds_variance(Scheme scheme, double loss, int copies, double packets);

/// Whole rounds as real hosts can do them: a rank knows only of its own c/n packets, and sends these again
/// until all are acknowledged in one round. The rounds of the slowest of n ranks:
///   Σ_{i≥0} [1 - (1-g^i)^n],  g = 1 - (1-u)^(2c/n).
/// `--recovery whole-round` of lbsp runs this.
ExpectedRounds expected_rounds_whole_round_by_rank(double loss, int copies, double packets, double ranks);

/// τ_k = k·h·α + β, half the timeout of one round: the time to serialise k copies of a rank's h packets, each
/// of which occupies the link for α seconds, plus the round trip β.
constexpr double half_round_timeout(int copies, double packets_per_rank, double packet_seconds,
                                    double round_trip) {
  return copies * packets_per_rank * packet_seconds + round_trip;
}

}  // namespace lbsp::model::paper
