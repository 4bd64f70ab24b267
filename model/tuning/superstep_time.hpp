#pragma once

#include <optional>
#include <vector>

#include "model/tuning/program.hpp"

namespace lbsp::model::tuning {

/// What a datagram meets on its way, every pair of nodes alike.
struct PacketPath {
  double packet_bytes = 1400;               ///< UDP payload of a full datagram
  double loss = 0;                          ///< p: of one such datagram, in [0, 1)
  std::optional<double> loss_after_loss{};  ///< r: of the next copy, given that one was lost; none: p
  double round_trip = 0;                    ///< seconds
  double bandwidth = 0;                     ///< UDP payload a node sends, bytes per second
  bool fragmented = false;                  ///< IP sends it in fragments
};

/// How messages are protected against loss before anything of them is known to be lost.
struct Protection {
  int copies = 1;               ///< k: of every packet, or with `repair` of messages of one packet
  std::optional<int> repair{};  ///< r: coded packets after each block of at most 128 of a longer message
  friend bool operator==(const Protection&, const Protection&) = default;
};

/// What a message's bytes become: lbsp's headers in each datagram (docs/protocol.md), and blocks of a code.
inline constexpr double packet_overhead_bytes = 74;
inline constexpr double most_block_packets = 128;

struct SuperstepTime {
  double seconds = 0;       ///< expected, from the moment when all begin to that when the last has all
  double first_round = 0;   ///< of these, without any waiting for repairs
  double second_round = 0;  ///< the probability that somebody waits for a repair
};

/// The messages that a step mentions, and the empty ones to all other nodes. Throws std::invalid_argument for
/// sizes below 0.
std::vector<ProgramMessages> all_messages(const ProgramStep& step, double nodes);

/// Throws std::invalid_argument for p or r outside [0, 1), k < 1, a packet not larger than its overhead, a
/// bandwidth of 0, negative numbers.
void validate_superstep(double nodes, const PacketPath& path, const Protection& protection);

/// An estimate of the communication of one superstep of `nodes` nodes by lbsp's receiver-driven protocol: the
/// sum of
///   half a round trip; the sending of the busiest node, S = its bytes over its bandwidth;
///   the protection's own sending; and for i = 1, 2, … P_i·(9/8 RTT) and the sending of what is repaired,
/// with P_i the probability that something still lacks after i rounds. What is sent more than a round trip
/// before the end is repaired while later packets are sent, and costs its sending alone, S/(1-p): only the
/// last min(S, RTT) are exposed, and worth protecting. Every repair goes twice.
///
/// Mostly within 10 % of the time line (superstep_line.hpp), which knows besides that copies are not sent any
/// more of what has been acknowledged; about 1 µs. Throws std::invalid_argument as validate_superstep() does,
/// and for message sizes below 0.
SuperstepTime superstep_time(const ProgramStep& step, double nodes, const PacketPath& path,
                             const Protection& protection);

/// Packets of a message of that many bytes; the empty one has one.
double packets_of(double message_bytes, double packet_bytes);

}  // namespace lbsp::model::tuning
