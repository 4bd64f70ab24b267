#pragma once

namespace lbsp::model::paper {

/// The least time that a superstep can take. The last byte that a rank must send leaves after
/// `bytes_per_rank / bytes_per_second`, and arrives one one-way delay later. With a loss of p, a fraction p
/// of what is sent must be sent again, so no protocol can move the bytes faster than rate·(1-p). Units are
/// seconds, bytes, and bytes per second.
///
/// Throws std::invalid_argument if the rate is not positive, or the loss not in [0, 1).
double superstep_lower_bound(double one_way_delay, double bytes_per_rank, double bytes_per_second,
                             double loss = 0);

/// τ_k = k·h·α + β, half the timeout of one round of the paper's retransmission schemes: the time to
/// serialise k copies of a rank's h packets, each occupying the link for α seconds, plus the round trip β.
constexpr double half_round_timeout(int copies, double packets_per_rank, double packet_seconds,
                                    double round_trip) {
  return copies * packets_per_rank * packet_seconds + round_trip;
}

}  // namespace lbsp::model::paper
