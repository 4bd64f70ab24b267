#pragma once

#include "model/critical_path/graph.hpp"

namespace lbsp::model::critical_path {

/// A message that is not empty.
struct Message {
  std::size_t from = 0;
  std::size_t to = 0;
  double bytes = 0;
};

/// What the ranks did from one sync to the next.
struct Superstep {
  std::vector<double> cpu;        ///< by rank: seconds of processor time
  std::vector<Message> messages;  ///< at most one from a rank to another
};

enum class Closing {
  exchange,  ///< a rank goes on when it has the messages of all others, empty ones included, as lbsp does
  barrier,   ///< all go on together, when the last has its messages, as BSP was defined
};

enum class Ports {
  parallel,  ///< a rank's messages do not slow each other down
  serial,    ///< they leave one after another: of rank i first that to i + 1, and so on around
};

struct Rules {
  MessageCost cost = MessageCost::linear(0, 0);
  Closing closing = Closing::exchange;
  Ports ports = Ports::parallel;
  double sync_seconds = 0;  ///< of a barrier
  SystemShare share{};
};

/// A stretch of the longest path.
struct Stretch {
  Kind kind = Kind::compute;
  std::size_t rank = 0;  ///< who computes, or sends
  std::size_t superstep = 0;
  double seconds = 0;
};

struct Estimate {
  double seconds = 0;
  std::vector<Stretch> path;  ///< in order
  std::vector<double> slack;  ///< by rank, as slack_of_ranks() has it
  std::size_t ranks = 0;
  std::vector<double> starts;  ///< of superstep k on rank i, at k · ranks + i; one more superstep is the end

  double start(std::size_t superstep, std::size_t rank) const { return starts[superstep * ranks + rank]; }
};

/// How long a run of these supersteps takes on machines and a network of its own: by rank and superstep, with E the end
/// of its computing, S(j, k + 1) = max(E(j, k), max over the others E(i, k) + w(i, j)), or with a barrier one maximum
/// for all. Takes supersteps · ranks² operations. Throws std::invalid_argument for supersteps of different numbers of
/// ranks, for messages of ranks that are not there, to the sender itself, or twice from one to another, for negative
/// or infinite times, and what the rules' parts throw.
Estimate estimate(std::span<const Superstep> supersteps, const Rules& rules);

/// The same run as a graph, whose longest path has the same length. Throws what estimate() throws.
Graph graph_of(std::span<const Superstep> supersteps, const Rules& rules);

}  // namespace lbsp::model::critical_path
