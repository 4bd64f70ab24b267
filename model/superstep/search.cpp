#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "model/superstep/best_protection.hpp"

namespace lbsp::model::superstep {
namespace {

/// More redundancy must promise this much, as the prediction is no better than that.
constexpr double worth_sending = 1e-3;
/// What is lost more than so many round trips before the end is repaired by then.
constexpr double tails_in_round_trips[] = {1.75, 1.0, 0.5};

/// Of a long message's coded segments so many follow their blocks. The rest, which few blocks need, would delay the
/// blocks behind; it is left to spare ones. As measured in the simulated network: with 5 to 15 % loss, 0.5 to 0.65 make
/// supersteps shortest; with 35 and 50 %, they take as long as with 0.8, or longer.
double kept_from_spares(double loss) {
  return std::clamp(0.5 + loss, 0.6, 0.8);
}

/// With more loss, what goes without spare segments in their place makes supersteps no shorter.
constexpr double most_loss_without_spares = 0.25;

/// Unless there is too little time for spare ones.
std::vector<Protection> leave_to_spares(const Superstep& superstep, const Protocol& protocol,
                                        std::vector<Protection> chosen) {
  const double kept = kept_from_spares(superstep.path.loss);
  std::vector<Protection> fewer = chosen;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Blocks blocks(superstep.messages[i].segments, protocol.limits.block_segments);
    if (blocks.count() == 1) continue;
    if (superstep.path.loss <= most_loss_without_spares) fewer[i].without_spares = chosen[i].repair_segments;
    fewer[i].repair_segments = static_cast<int>(std::ceil(kept * chosen[i].repair_segments));
  }
  if (fewer == chosen || protocol.repairs.spare_residual >= 1) return chosen;
  BlockOutcomes outcomes(superstep.path, protocol.repairs);
  const auto cost = [&](const std::vector<Protection>& protection) {
    return predict(superstep, protection, protocol, outcomes).cost;
  };
  return cost(fewer) <= cost(chosen) ? fewer : chosen;
}

/// As if there were no spare segments.
class Search {
 public:
  Search(const Superstep& superstep, const Means& means, const Protocol& protocol)
      : superstep_(superstep),
        protocol_(protocol),
        amounts_(superstep, means, protocol),
        outcomes_(superstep.path, protocol.repairs),
        best_(usual_protection(superstep, means, protocol)) {
    protocol_.repairs.spare_residual = 1;
  }

  std::vector<Protection> run() {
    if (superstep_.path.loss <= 0) return best_;
    least_cost_ = predict(superstep_, best_, protocol_, outcomes_).cost;
    // The longest first: they decide how much time there is. Again, if what was chosen for others matters.
    const std::size_t count = best_.size();
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
    double cost;
  };

  const Messages& messages(std::size_t kind) const { return superstep_.messages[kind]; }

  /// What is chosen for the other kinds.
  std::vector<Protection> others(std::size_t kind) const {
    std::vector<Protection> all = best_;
    all[kind] = {};
    return all;
  }

  void improve(std::size_t kind, bool widely) {
    tried_.clear();
    const Protection before = best_[kind];
    tried_.push_back({before, least_cost_});
    if (amounts_.may_code(messages(kind)))
      try_amounts(kind, before.coded ? before : amounts_.usual(messages(kind)), widely);
    if (amounts_.may_copy(messages(kind)))
      try_amounts(kind, before.coded ? amounts_.usual_copies(messages(kind)) : before, widely);
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
    const int segments = messages(kind).segments;
    for (const Messages& each : superstep_.messages)
      if (each.segments * 2. > segments) turn += each.per_rank * each.segment_seconds;
    for (const double round_trips : tails_in_round_trips) {
      const double tail = std::ceil(round_trips * superstep_.path.round_trip / std::max(turn, 1e-12));
      if (tail < 0.8 * segments) firsts.push_back(segments - static_cast<int>(tail));
    }
    return firsts;
  }

  /// Goes from an amount to better ones, up and then down; leaves the best and returns its cost.
  double climb(std::size_t kind, Protection& from) {
    const std::vector<int> amounts = from.coded ? amounts_.coded(messages(kind)) : amounts_.copies();
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
    for (int worse = 0; from != end && worse < amounts_.patience(); ++from)
      worse = better(*from) ? 0 : worse + 1;
  }

  double cost_of(std::size_t kind, Protection protection) {
    if (protection.copies == 1 && protection.repair_segments == 0) protection.first_protected = 0;
    for (const Tried& tried : tried_)
      if (tried.protection == protection) return tried.cost;
    std::swap(best_[kind], protection);
    const double cost = predict(superstep_, best_, protocol_, outcomes_).cost;
    std::swap(best_[kind], protection);
    tried_.push_back({protection, cost});
    return cost;
  }

  /// Of those that are about as good as the best, the one that sends least; and then neighbours of it.
  void choose(std::size_t kind) {
    take_least_extra(kind);
    if (!best_[kind].coded) return;
    Protection next = best_[kind];
    const double enough = least_cost_ * (1 + worth_sending / 2);
    while (--next.repair_segments > 0 && cost_of(kind, next) <= enough) {
    }
    next = best_[kind];
    double least = least_cost_;
    while (++next.repair_segments <= protocol_.limits.repair_segments) {
      const double cost = cost_of(kind, next);
      if (cost > least * (1 - worth_sending)) break;
      least = cost;
    }
    take_least_extra(kind);
  }

  void take_least_extra(std::size_t kind) {
    const auto least = std::ranges::min_element(tried_, {}, &Tried::cost);
    const double enough = least->cost * (1 + worth_sending);
    const Tried* chosen = &*least;
    for (const Tried& tried : tried_) {
      if (tried.cost <= enough && extra(kind, tried.protection) < extra(kind, chosen->protection))
        chosen = &tried;
    }
    best_[kind] = chosen->protection;
    least_cost_ = chosen->cost;
  }

  /// What a message's protection sends.
  double extra(std::size_t kind, const Protection& protection) const {
    const int segments = messages(kind).segments - protection.first_protected;
    if (!protection.coded) return 1. * (protection.copies - 1) * segments;
    return protection.repair_segments * Blocks(segments, protocol_.limits.block_segments).count();
  }

  const Superstep& superstep_;
  Protocol protocol_;
  Amounts amounts_;
  BlockOutcomes outcomes_;
  std::vector<Protection> best_;
  double least_cost_ = 0;     ///< with them
  std::vector<Tried> tried_;  ///< for one kind, with what is chosen for the others
};

}  // namespace

Choice::Choice(const Superstep& superstep, const Means& means, const Protocol& protocol)
    : superstep_(superstep),
      protection_(leave_to_spares(superstep, protocol, Search(superstep, means, protocol).run())) {}

}  // namespace lbsp::model::superstep
