#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/critical_path/message_cost.hpp"

namespace lbsp::model::critical_path {

/// A run as a graph: events (a start, a send, a receive, an end) are vertices, activities are arcs between them. How
/// long the run takes on machines and a network of its own is its longest path. The method is Drozdowski's;
/// docs/predictors.md describes it.

enum class Kind {
  compute,  ///< processor time of one rank between two of its events
  message,  ///< from its sending to its receipt
  sync,     ///< of a fixed duration: what only has an order
};

struct Arc {
  std::size_t from = 0;
  std::size_t to = 0;
  Kind kind = Kind::sync;
  double amount = 0;     ///< compute: seconds of processor time; message: bytes; sync: seconds
  std::size_t rank = 0;  ///< compute: whose; message: its sender
};

struct Graph {
  std::size_t events = 0;
  std::vector<Arc> arcs;
};

/// s: the part of the processor that the system takes even on an idle machine, so that computing takes cpu / (1 - s).
/// One for all ranks, one for each, or none: 0. It is not for other users' load, which this method leaves out.
class SystemShare {
 public:
  SystemShare() = default;
  /// Throws std::invalid_argument unless each is in [0, 1).
  explicit SystemShare(std::vector<double> shares);

  /// Throws std::invalid_argument for a rank that none was given for.
  double seconds(double cpu_seconds, std::size_t rank) const;

 private:
  std::vector<double> shares_;
};

/// How long each arc takes. Throws std::invalid_argument for negative amounts, and what the two throw.
std::vector<double> durations(const Graph& graph, const MessageCost& cost, const SystemShare& share = {});

struct LongestPath {
  double seconds = 0;
  std::vector<double> times;      ///< by event: the earliest
  std::vector<std::size_t> arcs;  ///< of the path, in order
  std::vector<double> slack;      ///< by arc: how much longer it may take before the run does
};

/// In one pass over the events in topological order. An event that no arc leads to is at 0. Throws
/// std::invalid_argument for an arc to an event that is not there, and for a cycle.
LongestPath longest_path(const Graph& graph, std::span<const double> durations);

/// By rank, the least slack of its computing: by so much every single stretch of it may grow without the run taking
/// longer. 0 for a rank on the path. Infinite for a rank that does not compute.
std::vector<double> slack_of_ranks(const Graph& graph, const LongestPath& path);

}  // namespace lbsp::model::critical_path
