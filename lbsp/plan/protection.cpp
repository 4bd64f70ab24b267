#include "lbsp/plan/protection.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "model/paper/rounds.hpp"
#include "model/paper/superstep_bound.hpp"

namespace lbsp::plan {
namespace {

/// More redundancy must promise this much, as the prediction is no better than that.
constexpr double worth_sending = 1e-3;
/// What is lost more than so many round trips before the end is repaired by then.
constexpr double tails_in_round_trips[] = {1.75, 1.0, 0.5};
/// For messages of so many segments, coded ones do what copies do with less: copies need not be tried.
constexpr int coding_wins = 8;
/// A block's coded segments: those that losses take on average, and so many deviations.
constexpr double deviations[] = {0, 0.75, 1.5, 2, 2.5, 3, 3.5, 4, 4.75, 5.5, 6.5, 8};
constexpr double usual_deviations = 2.5;
/// Amounts that may be worse before the search ends in that direction; of runs of losses, which make some
/// amounts no better than the last, more.
constexpr int usual_patience = 2;
constexpr int patience_with_runs = 4;

class Search {
 public:
  Search(const SuperstepShape& shape, const Means& means) : shape_(shape), means_(means), predictor_(shape) {
    for (const ShapeKind& kind : shape.kinds)
      best_.kinds.push_back(first_guess(kind));
    begin_with_guess();
  }

  ShapePlan run() {
    if (shape_.loss <= 0) return best_;
    // The longest first: they decide how much time there is. Again, if what was chosen for others matters.
    const std::size_t count = shape_.kinds.size();
    std::vector<std::vector<Protection>> seen(count);
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (std::size_t i = count; i-- > 0;) {
        if (seen[i] == others(i)) continue;
        improve(i, sweep == 0);
        seen[i] = others(i);
      }
    }
    return best_;
  }

 private:
  struct Tried {
    Protection protection;
    Predicted predicted;
  };

  void begin_with_guess() {
    const Predicted predicted = predictor_.predict(best_.kinds);
    best_.seconds = predicted.seconds;
    best_.cost = predicted.cost;
  }

  /// What is chosen for the other kinds.
  std::vector<Protection> others(std::size_t kind) const {
    std::vector<Protection> all = best_.kinds;
    all[kind] = {};
    return all;
  }

  bool may_code(const ShapeKind& kind) const { return means_.coded && kind.segments > 1; }

  Protection first_guess(const ShapeKind& kind) const {
    if (shape_.loss <= 0) return {1, 0, 0, may_code(kind)};
    if (may_code(kind)) return {1, coded_segments(kind, usual_deviations), 0, true};
    return {usual_copies(kind), 0, 0, false};
  }

  /// Where one copy more costs the time it takes, and spares a round trip when all so far are lost.
  int usual_copies(const ShapeKind& kind) const {
    const double after = std::max(shape_.loss_after_loss, shape_.loss);
    const double gain = shape_.ranks * shape_.round_trip * -std::log(after) * shape_.loss / after;
    const double copies = std::log(std::max(1., gain / kind.segment_seconds)) / -std::log(after);
    return std::clamp(static_cast<int>(std::lround(copies)), 1, transport::max_copies);
  }

  int coded_segments(const ShapeKind& kind, double deviation) const {
    const int blocks = (kind.segments - 1) / transport::most_block_segments + 1;
    const double size = std::ceil(static_cast<double>(kind.segments) / blocks);
    const double p = shape_.loss;
    const double spread = std::sqrt(size * p * (1 - p) * dispersion());
    const double coded = std::ceil((size * p + deviation * spread) / (1 - p));
    return static_cast<int>(std::clamp<double>(coded, 1, transport::most_repair_segments));
  }

  std::vector<int> coded_amounts(const ShapeKind& kind) const {
    std::vector<int> amounts;
    for (const double deviation : deviations)
      amounts.push_back(coded_segments(kind, deviation));
    amounts.erase(std::unique(amounts.begin(), amounts.end()), amounts.end());
    return amounts;
  }

  double dispersion() const {
    const double runs = (1 - shape_.loss) / (1 - shape_.loss_after_loss);
    return std::max(1., 2 * runs - 1);
  }

  void improve(std::size_t kind, bool widely) {
    tried_.clear();
    const ShapeKind& shape = shape_.kinds[kind];
    const Protection before = best_.kinds[kind];
    tried_.push_back({before, {best_.seconds, best_.cost}});
    const bool coded = may_code(shape);
    const bool copies = !coded || (means_.copies && shape.segments < coding_wins);
    if (coded) try_amounts(kind, before.coded ? before : first_guess(shape), widely);
    if (copies) {
      const Protection usual{usual_copies(shape), 0, 0, false};
      try_amounts(kind, before.coded ? usual : before, widely);
    }
    choose(kind);
  }

  /// Searches the amounts of redundancy for all of the messages, and then for their tails only.
  void try_amounts(std::size_t kind, Protection from, bool widely) {
    cost_of(kind, {1, 0, 0, from.coded});
    double least = climb(kind, from);
    if (!widely) return;
    for (const int first : tails(kind)) {
      from.first_protected = first;
      const double cost = climb(kind, from);
      if (cost > least) break;
      least = cost;
    }
  }

  /// From which segments on less than all may be protected, the longest tail first.
  std::vector<int> tails(std::size_t kind) const {
    std::vector<int> firsts;
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

  /// Goes from an amount to better ones, up and then down; leaves the best and returns its cost.
  double climb(std::size_t kind, Protection& from) {
    const std::vector<int> amounts = from.coded ? coded_amounts(shape_.kinds[kind]) : copy_amounts();
    int& amount = from.coded ? from.repair_segments : from.copies;
    const auto begin = std::lower_bound(amounts.begin(), amounts.end() - 1, amount);
    amount = *begin;
    int best = amount;
    double least = cost_of(kind, from);
    const auto better = [&](int next) {
      amount = next;
      const double cost = cost_of(kind, from);
      if (cost >= least) return false;
      least = cost;
      best = next;
      return true;
    };
    walk(begin + 1, amounts.end(), better);
    walk(std::make_reverse_iterator(begin), amounts.rend(), better);
    amount = best;
    return least;
  }

  template <typename Iterator, typename Better>
  void walk(Iterator from, Iterator end, const Better& better) const {
    const int patience = dispersion() > 1 ? patience_with_runs : usual_patience;
    for (int worse = 0; from != end && worse < patience; ++from)
      worse = better(*from) ? 0 : worse + 1;
  }

  static std::vector<int> copy_amounts() {
    std::vector<int> amounts(transport::max_copies);
    std::iota(amounts.begin(), amounts.end(), 1);
    return amounts;
  }

  double cost_of(std::size_t kind, Protection protection) {
    if (protection.copies == 1 && protection.repair_segments == 0) protection.first_protected = 0;
    for (const Tried& tried : tried_)
      if (tried.protection == protection) return tried.predicted.cost;
    std::swap(best_.kinds[kind], protection);
    const Predicted predicted = predictor_.predict(best_.kinds);
    std::swap(best_.kinds[kind], protection);
    tried_.push_back({protection, predicted});
    return predicted.cost;
  }

  /// Of those that are about as good as the best, the one that sends least; and then neighbours of it.
  void choose(std::size_t kind) {
    take(kind, least_extra(kind));
    Protection& best = best_.kinds[kind];
    if (!best.coded) return;
    Protection next = best;
    const double enough = best_.cost * (1 + worth_sending / 2);
    while (--next.repair_segments > 0 && cost_of(kind, next) <= enough) {
    }
    next = best;
    double least = best_.cost;
    while (++next.repair_segments <= transport::most_repair_segments) {
      const double cost = cost_of(kind, next);
      if (cost > least * (1 - worth_sending)) break;
      least = cost;
    }
    take(kind, least_extra(kind));
  }

  void take(std::size_t kind, const Tried& tried) {
    best_.kinds[kind] = tried.protection;
    best_.seconds = tried.predicted.seconds;
    best_.cost = tried.predicted.cost;
  }

  const Tried& least_extra(std::size_t kind) const {
    const auto least = std::min_element(tried_.begin(), tried_.end(), [](const Tried& a, const Tried& b) {
      return a.predicted.cost < b.predicted.cost;
    });
    const double enough = least->predicted.cost * (1 + worth_sending);
    const Tried* chosen = &*least;
    for (const Tried& tried : tried_) {
      if (tried.predicted.cost <= enough && extra(kind, tried.protection) < extra(kind, chosen->protection)) {
        chosen = &tried;
      }
    }
    return *chosen;
  }

  /// What a message's protection sends.
  double extra(std::size_t kind, const Protection& protection) const {
    const double segments = shape_.kinds[kind].segments - protection.first_protected;
    if (!protection.coded) return (protection.copies - 1) * segments;
    return protection.repair_segments * std::ceil(segments / transport::most_block_segments);
  }

  const SuperstepShape& shape_;
  Means means_;
  Predictor predictor_;
  ShapePlan best_;
  std::vector<Tried> tried_;  ///< for one kind, with what is chosen for the others
};

}  // namespace

ShapePlan best_protection(const SuperstepShape& shape, const Means& means) {
  return Search(shape, means).run();
}

double seconds_in_rounds(const SuperstepShape& shape, int copies) {
  double segments = 0;
  double seconds = 0;
  for (const ShapeKind& kind : shape.kinds) {
    segments += static_cast<double>(kind.messages) * kind.segments;
    seconds += kind.messages * kind.segments * kind.segment_seconds;
  }
  const double packets = std::max(1., shape.ranks * segments);
  const model::paper::ExpectedRounds rounds =
      shape.recovery == transport::Recovery::rounds
          ? model::paper::expected_rounds(model::paper::Scheme::rounds, shape.loss, copies, packets)
          : model::paper::expected_rounds_whole_round_by_rank(shape.loss, copies, packets, shape.ranks);
  const double tau = model::paper::half_round_timeout(copies, segments, seconds / segments, shape.round_trip);
  return 2 * tau * rounds.value();
}

ShapePlan best_copies_in_rounds(const SuperstepShape& shape) {
  ShapePlan best;
  best.seconds = std::numeric_limits<double>::infinity();
  // No k of 16 may be enough for whole rounds; then the most is the best.
  int best_copies = transport::max_copies;
  for (int copies = 1; copies <= transport::max_copies; ++copies) {
    const double seconds = seconds_in_rounds(shape, copies);
    if (seconds >= best.seconds) continue;
    best.seconds = seconds;
    best_copies = copies;
  }
  best.kinds.assign(shape.kinds.size(), Protection{best_copies, 0, 0, false});
  return best;
}

}  // namespace lbsp::plan
