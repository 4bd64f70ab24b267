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

/// The best choice, how flat the optimum is about it, and what else comes near.
struct Optimum {
  Choice best;
  std::vector<Choice> neighbours;  ///< the choices beside it, in order
  std::vector<Choice> runners_up;  ///< other local maxima, best first, at most three
  Choice flat_from;                ///< from here …
  Choice flat_to;  ///< … to here the speedup is within 1 % of the best (for nodes, on the scanned grid)
  bool at_limit = false;  ///< the speedup still rises at the largest number of nodes allowed
};

/// A program that could run on any number of nodes: w seconds of work per superstep on one node, and c(n)
/// packets.
struct ScalableSuperstep {
  double work_seconds = 0;
  PacketsPerSuperstep packets = PacketsPerSuperstep::n;
};

enum class Concept { lbsp, communication_free };

/// What the optimum is sought for. With Concept::communication_free only the loss of the network counts, and
/// no scheme.
struct Question {
  ScalableSuperstep superstep;
  Network network;
  Scheme scheme = Scheme::rounds;
  Concept model = Concept::lbsp;
};

constexpr double default_most_nodes = 16777216;  // 2^24

/// The speedup of one choice.
Choice evaluate(const Question& question, int copies, double nodes);

/// The best k, of all 1..K: the speedup falls and rises with k, so nothing but a scan finds it. Without the
/// communication's cost more copies are always better; then it is the least k within 1e-6 of the limit.
Optimum best_copies(const Question& question, double nodes);

/// The best n ≤ most_nodes: every n up to 1024, from there steps of 0.2 %, then the whole n about the three
/// best local maxima. For Concept::communication_free the closed forms, over all n if most_nodes is not
/// given; throws std::invalid_argument if the speedup grows with n for ever and it is not.
Optimum best_nodes(const Question& question, int copies, std::optional<double> most_nodes = {});

/// The best pair. Some 50 ms. Concept::communication_free has none (more copies and nodes are always better):
/// throws.
Optimum best_copies_and_nodes(const Question& question, std::optional<double> most_nodes = {});

}  // namespace lbsp::model::paper
