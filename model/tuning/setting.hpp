#pragma once

#include <limits>
#include <map>

#include "model/superstep/amounts.hpp"
#include "model/superstep/block_repair.hpp"
#include "model/superstep/protocol.hpp"
#include "model/superstep/superstep.hpp"
#include "model/tuning/program.hpp"

namespace lbsp::model::tuning {

/// Datagrams of one size that may be chosen, and the network that they meet between any two nodes.
struct PacketPath {
  double packet_bytes = 1400;  ///< UDP payload of a full one
  double bandwidth = 0;        ///< UDP payload that a node sends, bytes per second
  bool fragmented = false;     ///< IP sends it in fragments
  superstep::Path path{};
};

/// One protection for all messages of one packet, and one for all longer ones: what `lbsp run` can be told.
struct FixedProtection {
  superstep::Protection single;
  superstep::Protection longer;

  friend bool operator==(const FixedProtection&, const FixedProtection&) = default;
};

/// What a run of a program is told, and what it is expected to achieve.
struct Setting {
  FixedProtection protection;
  int packets_per_message = 1;  ///< of the program's messages
  double packet_bytes = 0;
  double nodes = 1;
  double seconds = 0;        ///< w_p + the communication of all supersteps and of the job's end
  double communication = 0;  ///< of these
  double losses = 0;         ///< of these, because datagrams are lost
  double deviation = 0;      ///< standard, of the communication from run to run, as losses fall
  double speedup = 0;        ///< w_s / seconds

  double efficiency() const { return speedup / nodes; }
  /// Nine of ten runs take no less than `seconds` - this, and no more than `seconds` + this, if only losses differ from
  /// run to run; with the likely error of the communication's mean.
  double nine_of_ten_beside() const;
  bool has_longer() const { return packets_per_message > 1; }
  bool is_coded() const { return has_longer() && protection.longer.coded; }
  /// How many packets at the end of a longer message are protected; 0: all of them.
  int protected_tail() const;
};

/// One of the program's supersteps that are not short. Nodes that get none of its messages get an empty one.
superstep::Superstep superstep_of(const Program& program, const PacketPath& path,
                                  const superstep::Protocol& protocol);

/// Predicts how a program runs on a path with a protection.
///
/// Throws std::invalid_argument for p outside [0, 1), k < 1, a packet not larger than its heads, a bandwidth
/// of 0, negative numbers.
Setting evaluate(const Program& program, const PacketPath& path, const FixedProtection& protection,
                 const superstep::Protocol& protocol);

/// The same with superstep::best_protection(). If the program sends no messages of one packet, these are
/// protected as in a superstep of empty messages.
Setting best_setting(const Program& program, const PacketPath& path, const superstep::Means& means,
                     const superstep::Protocol& protocol);

/// The seconds that programs take with the protection that theory recommends. It needs no search, and they are a
/// few per cent more. Each superstep is predicted once, also if several programs have it.
class UsualTimes {
 public:
  explicit UsualTimes(const superstep::Protocol& protocol) : protocol_(protocol) {}

  const superstep::Protocol& protocol() const { return protocol_; }
  /// If the program takes longer than `enough`, some time between the two will do.
  double of(const Program& program, const PacketPath& path,
            double enough = std::numeric_limits<double>::infinity());

 private:
  superstep::Protocol protocol_;
  std::map<superstep::Superstep, double> known_;
  std::map<superstep::Path, superstep::BlockOutcomes> outcomes_;
};

}  // namespace lbsp::model::tuning
