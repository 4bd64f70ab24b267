#include "model/paper/exchange_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/mathematics/require.hpp"
#include "model/mathematics/special_functions.hpp"
#include "model/paper/all_copies_lost.hpp"
#include "model/paper/superstep_bound.hpp"

namespace lbsp::model::paper {
namespace {

void validate(const Traffic& traffic, const Network& network) {
  mathematics::require_packets(traffic.packets());
  mathematics::require_not_negative(traffic.packets_per_node, "a number of packets per node");
  mathematics::require_loss(network.loss);
  mathematics::require_not_negative(network.packet_seconds, "a packet time");
  mathematics::require_not_negative(network.round_trip, "a delay");
}

/// A packet is still missing after i rounds with probability e^(log_first + (i-1)·log_later).
struct Decay {
  double log_first;
  double log_later;
  double log_missing(double round) const { return log_first + (round - 1) * log_later; }
};

/// The rounds after the first: how likely each is, and how long the packets it carries occupy the link.
class LaterRounds {
 public:
  LaterRounds(const Traffic& traffic, const Network& network, Decay decay, int copies)
      : traffic_(traffic), network_(network), decay_(decay), copies_(copies) {}

  /// P_i
  double probability(double round) const {
    return -std::expm1(traffic_.packets() * mathematics::log_one_minus_exp(decay_.log_missing(round)));
  }

  /// What a node sends again after round i, given that somebody must.
  double expected_seconds(double round) const {
    const double needed = probability(round);
    const double load = traffic_.packets_per_node * std::exp(decay_.log_missing(round));
    return needed * network_.round_trip + copies_ * network_.packet_seconds * std::max(load, needed);
  }

  double seconds_if_needed(double round) const {
    const double load = traffic_.packets_per_node * std::exp(decay_.log_missing(round));
    return network_.round_trip + copies_ * network_.packet_seconds * std::max(load, 1.);
  }

  /// Σ_{i≥1}. Where the rounds hardly differ from one to the next, several are taken as one.
  double sum(double already) const {
    if (std::isinf(decay_.log_first)) return 0;
    const double lambda = -decay_.log_later;
    const double stride = std::max(1., std::floor(1e-3 / lambda));
    const double rest = std::max(1., 1 / lambda);
    double total = 0;
    for (double round = 1;; round += stride) {
      const double here = expected_seconds(round + (stride - 1) / 2);
      total += stride * here;
      const bool fading = traffic_.packets() * std::exp(decay_.log_missing(round)) < 1;
      if (here == 0 || (fading && here * rest <= 1e-17 * (already + total))) return total;
    }
  }

 private:
  Traffic traffic_;
  Network network_;
  Decay decay_;
  int copies_;
};

LaterRounds later_rounds(const Traffic& traffic, const Network& network, const CopyPlan& plan) {
  validate(traffic, network);
  return {traffic, network,
          Decay{log_all_copies_lost(network.loss, plan.first), log_all_copies_lost(network.loss, plan.later)},
          plan.later};
}

double first_round(const Traffic& traffic, const Network& network, int copies) {
  return network.round_trip / 2 + copies * traffic.packets_per_node * network.packet_seconds;
}

/// The copies with which a network that fails with `loss` is worth using at most.
CopyPlan best_of(const Traffic& traffic, const Network& network, bool alike) {
  validate(traffic, network);
  const int most = copies_worth_trying(network.loss, traffic.packets());
  CopyPlan best;
  double least = std::numeric_limits<double>::infinity();
  for (int first = 1; first <= most; ++first) {
    for (int later = alike ? first : 1; later <= (alike ? first : most); ++later) {
      const double seconds = receiver_time(traffic, network, {first, later});
      if (seconds < least) {
        least = seconds;
        best = {first, later};
      }
    }
    // What the first round alone takes only grows from here.
    if (first_round(traffic, network, first) > least) break;
  }
  return best;
}

}  // namespace

Traffic Traffic::all_to_all(double nodes, double packets_per_message) {
  mathematics::require_nodes(nodes);
  mathematics::require_packets(packets_per_message);
  return {nodes * (nodes - 1), packets_per_message, (nodes - 1) * packets_per_message};
}

Traffic Traffic::ring(double nodes, double packets_per_message) {
  mathematics::require_nodes(nodes);
  mathematics::require_packets(packets_per_message);
  return {nodes, packets_per_message, packets_per_message};
}

double receiver_time(const Traffic& traffic, const Network& network, const CopyPlan& plan) {
  const LaterRounds later = later_rounds(traffic, network, plan);
  const double first = first_round(traffic, network, plan.first);
  return first + later.sum(first);
}

double receiver_time_quantile(const Traffic& traffic, const Network& network, const CopyPlan& plan,
                              double level) {
  if (!(level > 0 && level < 1))
    throw std::invalid_argument("a quantile of " + std::to_string(level) + ": give one between 0 and 1");
  const LaterRounds later = later_rounds(traffic, network, plan);
  double seconds = first_round(traffic, network, plan.first);
  if (network.loss == 0) return seconds;
  for (double round = 1; later.probability(round) > 1 - level; round += 1)
    seconds += later.seconds_if_needed(round);
  return seconds;
}

double acknowledged_time(const Traffic& traffic, const Network& network, int copies) {
  validate(traffic, network);
  const double log_f = log_data_or_acknowledgement_lost(log_all_copies_lost(network.loss, copies));
  const double first = first_round(traffic, network, copies) + network.round_trip / 2;
  return first + LaterRounds(traffic, network, {log_f, log_f}, copies).sum(first);
}

double paper_time(const Traffic& traffic, const Network& network, int copies) {
  validate(traffic, network);
  return 2 * expected_rounds(Scheme::rounds, network.loss, copies, traffic.packets()).value() *
         half_round_timeout(copies, traffic.packets_per_node, network.packet_seconds, network.round_trip);
}

double paper_time_packet_by_packet(const Traffic& traffic, const Network& network, int copies) {
  const double m = traffic.packets_per_message;
  return m * paper_time({traffic.messages, 1, traffic.packets_per_node / m}, network, copies);
}

double exchange_lower_bound(const Traffic& traffic, const Network& network) {
  validate(traffic, network);
  return superstep_lower_bound(network.round_trip / 2, traffic.packets_per_node, 1 / network.packet_seconds,
                               network.loss);
}

CopyPlan best_copies(const Traffic& traffic, const Network& network) {
  return best_of(traffic, network, true);
}

CopyPlan best_copy_plan(const Traffic& traffic, const Network& network) {
  return best_of(traffic, network, false);
}

int copies_worth_trying(double loss, double packets) {
  mathematics::require_loss(loss);
  mathematics::require_packets(packets);
  if (loss == 0) return 1;
  constexpr double most = 4096;
  return static_cast<int>(std::clamp(std::ceil(std::log(1e6 * packets) / -std::log(loss)), 1., most));
}

}  // namespace lbsp::model::paper
