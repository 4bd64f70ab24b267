#pragma once

#include <optional>
#include <vector>

#include "model/paper/packets_per_superstep.hpp"
#include "model/paper/speedup.hpp"

namespace lbsp::model::paper {

/// A choice of copies and nodes, and what it gives.
struct Choice {
  int copies = 1;
  double nodes = 1;
  double speedup = 0;
  double efficiency() const { return speedup / nodes; }
};

/// The best choice, how flat the optimum is around it, and which other choices come near.
struct Optimum {
  Choice best;
  std::vector<Choice> neighbours;  ///< the choices beside it, in order
  std::vector<Choice> runners_up;  ///< other local maxima, best first, at most three
  Choice flat_from;                ///< from here …
  Choice flat_to;  ///< … to here the speedup is within 1 % of the best (for nodes, on the scanned grid)
  bool at_limit = false;  ///< the speedup still rises at the largest number of nodes allowed
};

enum class Concept { lbsp, communication_free };

/// The question: for what to find the optimum, of a program that could run on any number of nodes. With
/// Concept::communication_free only c(n) and the loss of the network count.
struct Question {
  double work_seconds = 0;                               ///< w: of a superstep, on one node
  PacketsPerSuperstep packets = PacketsPerSuperstep::n;  ///< c(n)
  Network network;
  Scheme scheme = Scheme::rounds;
  Concept model = Concept::lbsp;
};

constexpr double default_most_nodes = 16777216;  // 2^24

/// The speedup of one choice.
Choice evaluate(const Question& question, int copies, double nodes);

/// The best k of all 1..K. The speedup falls and rises with k, so only a scan finds it. If communication
/// costs nothing, more copies are always better; then it is the least k within 1e-6 of the limit.
Optimum best_copies(const Question& question, double nodes);

/// The best n ≤ most_nodes. Tries every n up to 1024, then steps of 0.2 %, then the whole n around the three
/// best local maxima. For Concept::communication_free it uses the closed forms, over all n if most_nodes is
/// not given; if the speedup then grows with n for ever, it throws std::invalid_argument.
Optimum best_nodes(const Question& question, int copies, std::optional<double> most_nodes = {});

/// The best pair, in some 50 ms. Throws for Concept::communication_free, which has none: more copies and
/// nodes are always better.
Optimum best_copies_and_nodes(const Question& question, std::optional<double> most_nodes = {});

}  // namespace lbsp::model::paper
