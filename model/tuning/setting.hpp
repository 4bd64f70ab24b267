#pragma once

#include "model/superstep/amounts.hpp"
#include "model/superstep/protocol.hpp"
#include "model/superstep/superstep.hpp"
#include "model/tuning/program.hpp"

namespace lbsp::model::tuning {

/// Datagrams of one size that may be chosen, and what they meet between any two nodes.
struct PacketPath {
  double packet_bytes = 1400;  ///< UDP payload of a full one
  double bandwidth = 0;        ///< UDP payload that a node sends, bytes per second
  bool fragmented = false;     ///< IP sends it in fragments
  superstep::Path path{};
};

/// The same for all messages of one packet, and for all longer ones: what `lbsp run` can be told.
struct FixedProtection {
  superstep::Protection single;
  superstep::Protection longer;

  friend bool operator==(const FixedProtection&, const FixedProtection&) = default;
};

/// What a run of a program is told, and what it is expected to give.
struct Setting {
  FixedProtection protection;
  int packets_per_message = 1;  ///< of the program's messages
  double packet_bytes = 0;
  double nodes = 1;
  double seconds = 0;        ///< w_p + the communication of all supersteps
  double communication = 0;  ///< of these
  double losses = 0;         ///< of these, because datagrams are lost
  double speedup = 0;        ///< w_s / seconds

  double efficiency() const { return speedup / nodes; }
  bool has_longer() const { return packets_per_message > 1; }
  bool is_coded() const { return has_longer() && protection.longer.coded; }
  /// The packets at the end of a longer message that alone are protected; 0: all are.
  int protected_tail() const;
};

inline bool faster(const Setting& a, const Setting& b) {
  return a.seconds < b.seconds;
}

/// One of the program's supersteps. Nodes that get none of its messages get an empty one.
superstep::Superstep superstep_of(const Program& program, const PacketPath& path,
                                  const superstep::Protocol& protocol);

/// How a program runs on a path, protected so.
///
/// Throws std::invalid_argument for p outside [0, 1), k < 1, a packet not larger than its heads, a bandwidth
/// of 0, negative numbers.
Setting evaluate(const Program& program, const PacketPath& path, const FixedProtection& protection,
                 const superstep::Protocol& protocol);

/// With superstep::best_protection(). The messages of one packet, if the program sends none, are protected as
/// they are in a superstep of empty messages.
Setting best_setting(const Program& program, const PacketPath& path, const superstep::Means& means,
                     const superstep::Protocol& protocol);

/// The seconds that it takes with what theory recommends, without a search: a few per cent more.
double usual_seconds(const Program& program, const PacketPath& path, const superstep::Protocol& protocol);

}  // namespace lbsp::model::tuning
