#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/tuning/assumptions.hpp"
#include "model/tuning/program.hpp"
#include "model/tuning/superstep_time.hpp"

namespace lbsp::model::tuning {

/// What a run of a program is told, and what it is expected to give.
struct Setting {
  Protection protection;
  double packet_bytes = 0;
  double nodes = 1;
  double seconds = 0;        ///< w_p + the communication of all supersteps
  double communication = 0;  ///< of these
  double losses = 0;         ///< of these, because datagrams are lost
  double speedup = 0;        ///< w_s / seconds
  double efficiency() const { return speedup / nodes; }
};

/// What a program would run on, if it ran on n nodes: one path for each packet size that may be chosen.
using PathsOf = std::function<std::vector<PacketPath>(double nodes)>;
using ProgramOf = std::function<Program(double nodes)>;

struct TuningQuestion {
  ProgramOf program;
  double sequential_seconds = 0;  ///< w_s, on the node that one would take if it were only one
  PathsOf paths;
  std::vector<double> nodes;  ///< the numbers of nodes that may be chosen, rising; not empty
  int most_copies = 16;
  int most_repair = 64;  ///< of a block
};

/// A setting beside the best one, which differs from it in one thing.
struct Neighbour {
  std::string change;  ///< "copies", "repair", "nodes" or "packet_size"
  Setting setting;
};

struct Tuning {
  Setting best;
  std::vector<Neighbour> neighbours;  ///< none is better
  /// The best settings of other numbers of nodes that are better than those beside them, best first; at most
  /// three.
  std::vector<Setting> runners_up;
  double flat_from = 1;       ///< from so many nodes …
  double flat_to = 1;         ///< … to so many the estimate is within 1 % of the best one's
  bool at_limit = false;      ///< the time still falls at the largest number of nodes
  std::vector<Doubt> doubts;  ///< assumptions that do not hold for the best
};

/// The shortest time over all numbers of nodes, packet sizes, copies and repairs.
///
/// The time falls and rises with each of them more than once, so all are scanned, with the estimate of
/// superstep_time.hpp: every number of nodes up to 64, from there steps of 5 %, refined about the three best;
/// for each of them every packet size; for each of these every k, and by turns every r. Then the best few are
/// worked out with the time line of superstep_line.hpp, from which all times come that are returned, and
/// improved by it until no neighbour is better. Some 10 to 300 ms.
///
/// Throws std::invalid_argument as superstep_time() does, and for no nodes or no packet sizes to choose from.
Tuning tune(const TuningQuestion& question);

}  // namespace lbsp::model::tuning
