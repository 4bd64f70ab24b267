#include "model/paper/conceptual.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/mathematics/special_functions.hpp"
#include "model/paper/rounds.hpp"

namespace lbsp::model::paper::conceptual {
namespace {

// ln(1-u)
double log_packet_success(double loss, int copies) {
  return mathematics::log_one_minus_exp(log_all_copies_lost(loss, copies));
}

}  // namespace

double log_speedup(PacketsPerSuperstep kind, double nodes, double loss, int copies) {
  return std::log(nodes) + 2 * packets_per_superstep(kind, nodes) * log_packet_success(loss, copies);
}

double speedup(PacketsPerSuperstep kind, double nodes, double loss, int copies) {
  return nodes * std::exp(2 * packets_per_superstep(kind, nodes) * log_packet_success(loss, copies));
}

std::optional<double> optimal_nodes(PacketsPerSuperstep kind, double loss, int copies) {
  constexpr double ln2 = std::numbers::ln2;
  const double a = -2 * log_packet_success(loss, copies);
  if (a == 0) return std::nullopt;
  switch (kind) {
    case PacketsPerSuperstep::one:
    case PacketsPerSuperstep::log2:
      return std::nullopt;
    case PacketsPerSuperstep::log2_squared:
      return std::exp(ln2 * ln2 / (2 * a));
    case PacketsPerSuperstep::n:
      return 1 / a;
    case PacketsPerSuperstep::n_log2:
      return ln2 / a / mathematics::lambert_w(std::numbers::e * (ln2 / a));
    case PacketsPerSuperstep::n_squared:
      break;
  }
  return 1 / std::sqrt(2 * a);
}

std::optional<double> optimal_whole_nodes(PacketsPerSuperstep kind, double loss, int copies) {
  const auto real = optimal_nodes(kind, loss, copies);
  if (!real) {
    // c = log2 n with the losses so heavy that every further node costs more than it brings.
    const bool falls =
        kind == PacketsPerSuperstep::log2 && 1 + 2 * log_packet_success(loss, copies) / std::numbers::ln2 < 0;
    return falls ? std::optional(1.) : std::nullopt;
  }
  constexpr double all_whole = 9007199254740992;  // 2^53: from here on every double is whole
  if (*real >= all_whole) return real;
  const double below = std::max(1., std::floor(*real));
  double best = 1;
  for (const double nodes : {below, below + 1}) {
    if (log_speedup(kind, nodes, loss, copies) > log_speedup(kind, best, loss, copies)) best = nodes;
  }
  return best;
}

}  // namespace lbsp::model::paper::conceptual
