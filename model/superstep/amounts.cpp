#include "model/superstep/amounts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "model/superstep/block_repair.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr int coding_wins = 8;
/// A block's coded segments: those that losses take on average, and so many deviations.
constexpr double deviations[] = {0, 0.75, 1.5, 2, 2.5, 3, 3.5, 4, 4.75, 5.5, 6.5, 8};

}  // namespace

Amounts::Amounts(const Superstep& superstep, const Means& means, const Protocol& protocol)
    : superstep_(superstep),
      means_(means),
      limits_(protocol.limits),
      dispersion_(dispersion_of(superstep.path)),
      exposed_(std::min(1., superstep.path.round_trip / std::max(superstep.seconds(), 1e-12))) {}

bool Amounts::may_copy(const Messages& kind) const {
  return !may_code(kind) || (means_.copies && kind.segments < coding_wins);
}

Protection Amounts::usual(const Messages& kind) const {
  if (superstep_.path.loss <= 0) return {1, 0, 0, may_code(kind)};
  if (may_code(kind)) return {1, coded_segments(kind, usual_deviations(kind)), 0, true};
  return usual_copies(kind);
}

Protection Amounts::usual_copies(const Messages& kind) const {
  const Path& path = superstep_.path;
  const double again = std::max(path.lost_again(), path.loss);
  const double gain = superstep_.ranks * path.round_trip * -std::log(again) * path.loss / again;
  const double copies = std::log(std::max(1., gain / kind.segment_seconds)) / -std::log(again);
  return {std::clamp(static_cast<int>(std::lround(copies)), 1, limits_.copies), 0, 0, false};
}

/// With N blocks that somebody waits for and the normal distribution's density φ, one deviation more spares
/// N·φ(d) round trips and costs what it takes to send: where both are the same.
double Amounts::usual_deviations(const Messages& kind) const {
  const double blocks = kind.per_rank * Blocks(kind.segments, limits_.block_segments).count();
  const double spared = superstep_.ranks * blocks * exposed_ * superstep_.path.round_trip;
  const double sent = blocks * spread(kind) * kind.segment_seconds;
  return std::sqrt(2 * std::log(std::max(1., spared / sent / std::sqrt(2 * std::numbers::pi))));
}

/// The standard deviation of what a block loses.
double Amounts::spread(const Messages& kind) const {
  const double size = Blocks(kind.segments, limits_.block_segments).longest();
  const double loss = superstep_.path.loss;
  return std::sqrt(size * loss * (1 - loss) * dispersion_);
}

int Amounts::coded_segments(const Messages& kind, double deviation) const {
  const double size = Blocks(kind.segments, limits_.block_segments).longest();
  const double p = superstep_.path.loss;
  const double coded = std::ceil((size * p + deviation * spread(kind)) / (1 - p));
  return static_cast<int>(std::clamp<double>(coded, 1, limits_.repair_segments));
}

std::vector<int> Amounts::coded(const Messages& kind) const {
  std::vector<int> amounts;
  for (const double deviation : deviations)
    amounts.push_back(coded_segments(kind, deviation));
  amounts.erase(std::unique(amounts.begin(), amounts.end()), amounts.end());
  return amounts;
}

std::vector<int> Amounts::copies() const {
  std::vector<int> amounts(static_cast<std::size_t>(limits_.copies));
  std::iota(amounts.begin(), amounts.end(), 1);
  return amounts;
}

std::vector<Protection> usual_protection(const Superstep& superstep, const Means& means,
                                         const Protocol& protocol) {
  const Amounts amounts(superstep, means, protocol);
  std::vector<Protection> usual;
  for (const Messages& kind : superstep.messages)
    usual.push_back(amounts.usual(kind));
  return usual;
}

}  // namespace lbsp::model::superstep
