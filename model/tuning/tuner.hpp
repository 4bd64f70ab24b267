#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/tuning/assumptions.hpp"
#include "model/tuning/program.hpp"
#include "model/tuning/setting.hpp"

namespace lbsp::model::tuning {

/// The network on which a program would run on n nodes: one path for each packet size that may be chosen.
using PathsOf = std::function<std::vector<PacketPath>(double nodes)>;
using ProgramOf = std::function<Program(double nodes)>;

struct TuningQuestion {
  ProgramOf program;  ///< w_s is that of the node that one would choose for a single node
  PathsOf paths;
  std::vector<double> nodes;  ///< the numbers of nodes that may be chosen, ascending; not empty
  UsualTimes& usual;          ///< also for other questions about the same networks
};

/// A setting that differs from the best one in one thing.
struct Neighbour {
  std::string change;  ///< "copies", "repair", "nodes" or "packet_size"
  Setting setting;
};

struct Tuning {
  Setting best;
  /// Other numbers of nodes and packet sizes have their own best protection, and none of them is faster.
  /// Another protection may seem slightly faster: see superstep::Prediction::cost.
  std::vector<Neighbour> neighbours;
  /// The best settings of other numbers of nodes that are better than those next to them, best first; at most
  /// three.
  std::vector<Setting> runners_up;
  double flat_from = 1;   ///< from so many nodes …
  double flat_to = 1;     ///< … to so many the time is within 1 % of the best one's, with usual protection
  bool at_limit = false;  ///< the time still falls at the largest number of nodes
  std::vector<std::string> doubts;  ///< assumptions that do not hold for the best
};

/// The shortest time over all numbers of nodes and packet sizes, each with superstep::best_protection().
///
/// The time falls and rises with the nodes more than once. So they are scanned with the protection that
/// theory recommends: every number of nodes up to 64, then steps of 5 %, refined around the best; for each of
/// them every packet size. The best four then get their best protection. From the best of these it walks on
/// to better numbers of nodes and packet sizes until there are none. Takes some 5 to 300 ms.
///
/// Throws std::invalid_argument as evaluate() does, and for no nodes or no packet sizes to choose from.
Tuning tune(const TuningQuestion& question);

}  // namespace lbsp::model::tuning
