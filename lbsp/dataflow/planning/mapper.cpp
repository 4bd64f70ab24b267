#include "lbsp/dataflow/planning/mapper.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "lbsp/dataflow/planning/fetches.hpp"

namespace lbsp::dataflow::planning {
namespace {

constexpr auto none = std::numeric_limits<std::size_t>::max();

class LevelMapper {
 public:
  LevelMapper(const Structure& graph, const StreamIndex& index, const Estimates& estimates,
              const MapOptions& options)
      : estimates_(estimates),
        options_(options),
        fetches_(graph, index, estimates),
        queues_(estimates.send.size()) {
    plan_.ends.resize(estimates.send.size());
  }

  LevelPlan map(std::span<const TokenId> ready) {
    for (const Ranked& next : ranked(ready)) {
      fetches_.consider(next.token);
      append(next, choose(next));
    }
    if (options_.rebalance) rebalance();
    if (options_.neighbours_together) gather_neighbours();
    return finished();
  }

 private:
  struct Ranked {
    std::uint64_t postfix = 0;
    Ticks all_workers = 0;  ///< the time on each worker, added up
    TokenId token = no_token;
  };
  /// A token in a worker's queue.
  struct Queued {
    Ranked what;
    Choice choice = Choice::local;
    Ticks takes = 0;
  };

  std::vector<Ranked> ranked(std::span<const TokenId> ready) {
    std::vector<Ranked> order;
    for (const TokenId token : ready) {
      fetches_.consider(token);
      Ticks sum = 0;
      for (Worker worker = 0; worker < estimates_.workers(); ++worker)
        sum += estimates_.run(token, worker);
      order.push_back({fetches_.postfix(), sum, token});
    }
    std::ranges::sort(order, {}, [](const Ranked& each) {
      return std::tuple(each.postfix, -each.all_workers, each.token);
    });
    return order;
  }

  Choice choose(const Ranked& next) const {
    return next.postfix == 0 && fetches_.somebody_has_all() ? Choice::local : Choice::earliest_finish;
  }

  /// Of those that come into question, the one that ends the considered token first.
  template <class Question>
  std::size_t first_to_end(TokenId token, Question in_question, bool weigh_fetches) {
    std::size_t best = none;
    Ticks least = 0;
    for (Worker worker = 0; worker < estimates_.workers(); ++worker) {
      if (!in_question(worker)) continue;
      const Ticks fetch = weigh_fetches ? fetches_.of(worker) : 0;
      const Ticks finish = plan_.ends[place_of(worker)] + fetch + estimates_.run(token, worker);
      ++plan_.evaluations;
      if (best != none && finish >= least) continue;
      best = place_of(worker);
      least = finish;
    }
    return best;
  }

  void append(const Ranked& next, Choice choice) {
    const auto may = [&](Worker worker) {
      return choice == Choice::earliest_finish || fetches_.has_all(worker);
    };
    append(next, choice, first_to_end(next.token, may, options_.weigh_fetches));
  }

  void append(const Ranked& what, Choice choice, std::size_t worker) {
    const auto rank = static_cast<Worker>(worker);
    const Ticks takes = fetches_.of(rank) + estimates_.run(what.token, rank);
    queues_[worker].push_back({what, choice, takes});
    plan_.ends[worker] += takes;
  }

  void rebalance() {
    for (;;) {
      const auto longest =
          static_cast<std::size_t>(std::ranges::max_element(plan_.ends) - plan_.ends.begin());
      if (queues_[longest].empty()) return;
      const Queued tail = queues_[longest].back();
      fetches_.consider(tail.what.token);
      const auto may = [&](Worker worker) { return place_of(worker) != longest; };
      const std::size_t best = first_to_end(tail.what.token, may, true);
      if (best == none) return;
      const auto rank = static_cast<Worker>(best);
      if (plan_.ends[best] + fetches_.of(rank) + estimates_.run(tail.what.token, rank) >= plan_.ends[longest])
        return;
      queues_[longest].pop_back();
      plan_.ends[longest] -= tail.takes;
      append(tail.what, Choice::moved, best);
      ++plan_.moves;
    }
  }

  std::vector<Ticks> times_of(TokenId token) const {
    std::vector<Ticks> times;
    for (Worker worker = 0; worker < estimates_.workers(); ++worker)
      times.push_back(estimates_.run(token, worker));
    return times;
  }

  void gather_neighbours() {
    std::map<std::vector<Ticks>, std::vector<Queued*>> alike;
    for (auto& queue : queues_) {
      for (Queued& each : queue) {
        fetches_.consider(each.what.token);
        if (!fetches_.reads_produced()) alike[times_of(each.what.token)].push_back(&each);
      }
    }
    for (const auto& [times, places] : alike) {
      std::vector<Ranked> tokens;
      for (const Queued* place : places)
        tokens.push_back(place->what);
      std::ranges::sort(tokens, {}, &Ranked::token);
      for (std::size_t i = 0; i < places.size(); ++i)
        places[i]->what = tokens[i];
    }
  }

  LevelPlan finished() {
    for (std::size_t worker = 0; worker < queues_.size(); ++worker) {
      Ticks now = 0;
      for (const Queued& each : queues_[worker]) {
        plan_.placements.push_back({each.what.token, static_cast<Worker>(worker), now, now + each.takes,
                                    each.choice, each.what.postfix});
        now += each.takes;
      }
    }
    return std::move(plan_);
  }

  const Estimates& estimates_;
  const MapOptions& options_;
  Fetches fetches_;
  LevelPlan plan_;
  std::vector<std::vector<Queued>> queues_;
};

}  // namespace

Ticks LevelPlan::length() const {
  return ends.empty() ? 0 : *std::ranges::max_element(ends);
}

std::uint64_t postfix_of(const Structure& graph, const StreamIndex& index, const Estimates& estimates,
                         TokenId token) {
  Fetches fetches(graph, index, estimates);
  fetches.consider(token);
  return fetches.postfix();
}

LevelPlan map_level(const Structure& graph, const StreamIndex& index, std::span<const TokenId> ready,
                    const Estimates& estimates, const MapOptions& options) {
  return LevelMapper(graph, index, estimates, options).map(ready);
}

void note_level(StreamIndex& index, const Structure& graph, const LevelPlan& level) {
  for (const Placement& each : level.placements) {
    for (const StreamId input : graph.token(each.token).inputs)
      if (graph.produced(input)) index.add(input, each.worker);
    for (const StreamId output : graph.token(each.token).outputs)
      index.add(output, each.worker);
  }
}

}  // namespace lbsp::dataflow::planning
