#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/assumptions.hpp"
#include "model/program.hpp"
#include "model/superstep_time.hpp"

namespace lbsp::model {

/// What a run of a program is told, and what it is expected to give.
struct Setting {
  Protection protection;
  double packet_bytes = 0;
  double nodes = 1;
  double seconds = 0;        ///< w_p + the communication of all supersteps
  double communication = 0;  ///< of these
  double waiting = 0;        ///< of these, for what had to be repaired
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
  std::vector<Neighbour> neighbours;
  /// The best settings of other numbers of nodes that are better than those beside them, best first; at most
  /// three.
  std::vector<Setting> runners_up;
  Setting flat_from;          ///< the fewest …
  Setting flat_to;            ///< … and the most nodes about the best that come within 1 % of its time
  bool at_limit = false;      ///< the time still falls at the largest number of nodes
  std::vector<Doubt> doubts;  ///< assumptions that do not hold for the best
};

/// The shortest time over all numbers of nodes, packet sizes, copies and repairs; of equal ones that with
/// fewer nodes. The time falls and rises with each of them more than once, so all are scanned: every number
/// of nodes up to 64, from there steps of 5 %, refined about the three best; for each of them every packet
/// size; for each of these every k, and by turns every r. Some 10 ms.
///
/// Throws std::invalid_argument as superstep_time() does, and for no nodes or no packet sizes to choose from.
Tuning tune(const TuningQuestion& question);

/// The time of one setting; `path` is that of setting.packet_bytes. Fills in what it gives.
Setting evaluate(const Program& program, double sequential_seconds, const PacketPath& path,
                 const Protection& protection);

/// The best protection for a program on a path.
Setting best_protection(const Program& program, const PacketPath& path, const TuningQuestion& question);

}  // namespace lbsp::model
