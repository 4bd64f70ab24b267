#include "lbsp/plan/protection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/rounds.hpp"
#include "model/superstep_bound.hpp"

namespace lbsp::plan {
namespace {

/// More redundancy must promise this much, as the prediction is no better than that.
constexpr double worth_sending = 1e-3;
/// What is still being sent when the superstep ends delays the next, if that begins at once, until its
/// messages acknowledge this one's: about half of the time, as measured.
constexpr double still_sending_weight = 0.5;
/// What is lost more than so many round trips before the end is repaired by then.
constexpr double tails_in_round_trips[] = {1.75, 1.0, 0.5};
/// Few copies may cost more than they bring, and many yet be best: these many more are tried beyond a gain.
constexpr int most_tries_without_gain = 7;
/// For messages of so many segments, coded ones do what copies do with less: copies need not be tried.
constexpr int coding_wins = 8;
/// A block's coded segments: those that losses take on average, and so many deviations.
constexpr double deviations[] = {0, 0.75, 1.5, 2, 2.5, 3, 3.5, 4, 4.75, 5.5};

class Search {
 public:
  Search(const SuperstepShape& shape, const Means& means) : shape_(shape), means_(means) {
    best_.kinds.resize(shape.kinds.size());
    for (std::size_t i = 0; i < shape.kinds.size(); ++i)
      best_.kinds[i].coded = means.coded && shape.kinds[i].segments > 1;
    take(best_.kinds, predict(shape, best_.kinds));
  }

  ShapePlan run() {
    if (shape_.loss <= 0) return best_;
    // The longest first: they decide how much time there is. Again, if what was chosen for others matters.
    const int sweeps = shape_.kinds.size() > 1 ? 2 : 1;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::size_t i = shape_.kinds.size(); i-- > 0;)
        improve(i);
    }
    return best_;
  }

 private:
  bool consider(std::size_t kind, const Protection& protection) {
    std::vector<Protection> all = best_.kinds;
    if (all[kind] == protection) return true;
    all[kind] = protection;
    const Predicted predicted = predict(shape_, all);
    if (predicted.cost > best_.cost * (1 - worth_sending)) return false;
    take(std::move(all), predicted);
    return true;
  }

  void take(std::vector<Protection> kinds, const Predicted& predicted) {
    best_ = {std::move(kinds), predicted.seconds, predicted.cost};
  }

  void improve(std::size_t kind) {
    const int segments = shape_.kinds[kind].segments;
    const bool coded = means_.coded && segments > 1;
    const bool copies = segments == 1 || (means_.copies && !(coded && segments >= coding_wins));
    for (const int first : beginnings(kind)) {
      if (copies) try_copies(kind, first);
      if (coded) try_coded(kind, first);
    }
    refine(kind);
  }

  /// From which segment on to protect: all, or so that the tail is so long.
  std::vector<int> beginnings(std::size_t kind) const {
    std::vector<int> firsts{0};
    double turn = 0;  // one datagram to every peer that still gets some
    const int segments = shape_.kinds[kind].segments;
    for (const ShapeKind& each : shape_.kinds)
      if (each.segments * 2 > segments) turn += each.messages * each.segment_seconds;
    for (const double round_trips : tails_in_round_trips) {
      const double tail = std::ceil(round_trips * shape_.round_trip / std::max(turn, 1e-12));
      if (tail < 0.8 * segments) firsts.push_back(segments - static_cast<int>(tail));
    }
    return firsts;
  }

  void try_copies(std::size_t kind, int first) {
    int without_gain = 0;
    for (int copies = 1; copies <= transport::max_copies; ++copies) {
      without_gain = consider(kind, {copies, 0, copies > 1 ? first : 0, false}) ? 0 : without_gain + 1;
      if (without_gain > most_tries_without_gain) break;
    }
  }

  void try_coded(std::size_t kind, int first) {
    const int segments = shape_.kinds[kind].segments;
    const int longest = transport::most_block_segments;
    const int blocks = (segments - 1) / longest + 1;
    const double size = std::ceil(static_cast<double>(segments) / blocks);
    const double p = shape_.loss;
    const double spread = std::sqrt(size * p * (1 - p) * dispersion());
    consider(kind, {1, 0, 0, true});
    for (const double deviation : deviations) {
      const double r = std::ceil((size * p + deviation * spread) / (1 - p));
      if (r < 1 || r > most_coded) continue;
      consider(kind, {1, static_cast<int>(r), first, true});
    }
  }

  /// Neighbours of the best: as many fewer coded segments as make no difference, or more as do.
  void refine(std::size_t kind) {
    const double enough = best_.cost * (1 + worth_sending / 2);
    std::vector<Protection> fewer = best_.kinds;
    while (fewer[kind].coded && --fewer[kind].repair_segments >= 1) {
      const Predicted predicted = predict(shape_, fewer);
      if (predicted.cost > enough) break;
      take(fewer, predicted);
    }
    for (Protection more = best_.kinds[kind]; more.coded && ++more.repair_segments <= most_coded;)
      if (!consider(kind, more)) break;
  }

  double dispersion() const {
    const double runs = (1 - shape_.loss) / (1 - shape_.loss_after_loss);
    return std::max(1., 2 * runs - 1);
  }

  static constexpr int most_coded = transport::most_repair_segments;
  const SuperstepShape& shape_;
  Means means_;
  ShapePlan best_;
};

}  // namespace

model::RepairRule repair_rule() {
  return {.first_residual = 0.02, .later_residual = 0.005};
}

Predicted predict(const SuperstepShape& shape, const std::vector<Protection>& protection) {
  std::vector<model::MessageKind> kinds;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const ShapeKind& kind = shape.kinds[i];
    const Protection& how = protection[i];
    kinds.push_back({static_cast<double>(kind.messages), kind.segments, kind.segment_seconds, how.copies,
                     how.repair_segments, how.first_protected, how.coded});
  }
  model::ProtocolConstants constants;
  constants.repairs = repair_rule();
  const model::CompletionTime time = model::completion_time(shape.ranks, kinds, shape.path(), constants);
  const double mean = time.mean();
  return {mean, mean + still_sending_weight * std::max(0., time.sending_ends() - mean)};
}

ShapePlan best_protection(const SuperstepShape& shape, const Means& means) {
  return Search(shape, means).run();
}

ShapePlan best_copies_in_rounds(const SuperstepShape& shape) {
  double segments = 0;
  double seconds = 0;
  for (const ShapeKind& kind : shape.kinds) {
    segments += static_cast<double>(kind.messages) * kind.segments;
    seconds += kind.messages * kind.segments * kind.segment_seconds;
  }
  const double packets = std::max(1., shape.ranks * segments);
  ShapePlan best;
  best.seconds = std::numeric_limits<double>::infinity();
  int copies = 1;
  for (int k = 1; k <= transport::max_copies; ++k) {
    const model::ExpectedRounds rounds =
        shape.recovery == transport::Recovery::rounds
            ? model::expected_rounds(model::Scheme::rounds, shape.loss, k, packets)
            : model::expected_rounds_whole_round_by_rank(shape.loss, k, packets, shape.ranks);
    const double tau = model::half_round_timeout(k, segments, seconds / segments, shape.round_trip);
    const double predicted = 2 * tau * rounds.value();
    if (predicted < best.seconds) {
      best.seconds = predicted;
      copies = k;
    }
  }
  // No k of 16 may be enough for whole rounds; then the most is the best.
  if (std::isinf(best.seconds)) copies = transport::max_copies;
  best.kinds.assign(shape.kinds.size(), Protection{copies, 0, 0, false});
  return best;
}

}  // namespace lbsp::plan
