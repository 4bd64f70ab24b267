#include "lbsp/dataflow/comparison/length.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lbsp::dataflow::comparison {

using planning::Estimates;
using planning::LevelPlan;
using planning::StreamIndex;

namespace {

/// Calls visit(stream, who wrote it) for what a token lacks where it runs.
template <class Visit>
void visit_fetches(const Structure& graph, const Mapping& mapping, TokenId token, Visit visit) {
  for (const StreamId input : graph.token(token).inputs) {
    if (!graph.produced(input)) continue;
    const Worker from = mapping[graph.stream(input).producer];
    if (from != mapping[token]) visit(input, from);
  }
}

}  // namespace

std::uint64_t LevelledPlan::evaluations() const {
  std::uint64_t sum = 0;
  for (const LevelPlan& level : levels)
    sum += level.evaluations;
  return sum;
}

Ticks LevelledPlan::length() const {
  Ticks sum = 0;
  for (const LevelPlan& level : levels)
    sum += level.length();
  return sum;
}

LevelledPlan map_all(const Structure& graph, const Estimates& estimates, const MapOptions& options) {
  LevelledPlan plan{{}, Mapping(graph.tokens()), std::vector<Ticks>(graph.tokens())};
  StreamIndex index(graph.streams());
  for (std::size_t level = 0; level < graph.levels(); ++level) {
    plan.levels.push_back(planning::map_level(graph, index, graph.level(level), estimates, options));
    planning::note_level(index, graph, plan.levels.back());
    for (const Placement& each : plan.levels.back().placements) {
      plan.mapping[each.token] = each.worker;
      plan.starts[each.token] = each.start;
    }
  }
  return plan;
}

Ticks superstep_length(const Structure& graph, const Estimates& estimates, const Mapping& mapping) {
  Ticks sum = 0;
  for (std::size_t level = 0; level < graph.levels(); ++level) {
    std::vector<Ticks> busy(estimates.send.size());
    for (const TokenId token : graph.level(level)) {
      Ticks& own = busy[place_of(mapping[token])];
      own += estimates.run(token, mapping[token]);
      visit_fetches(graph, mapping, token, [&](StreamId input, Worker from) {
        own += estimates.send[place_of(from)].of(estimates.bytes[input]);
      });
    }
    sum += *std::ranges::max_element(busy);
  }
  return sum;
}

Ticks free_running_length(const Structure& graph, const Estimates& estimates, const Mapping& mapping,
                          const std::vector<Ticks>& starts) {
  std::vector<TokenId> order(graph.tokens());
  std::iota(order.begin(), order.end(), TokenId{0});
  std::ranges::sort(
      order, {}, [&](TokenId token) { return std::tuple(graph.token(token).level, starts[token], token); });
  std::vector<Ticks> free_at(estimates.send.size());
  std::vector<Ticks> finish(graph.tokens());
  for (const TokenId token : order) {
    Ticks& own = free_at[place_of(mapping[token])];
    for (const StreamId input : graph.token(token).inputs)
      if (graph.produced(input)) own = std::max(own, finish[graph.stream(input).producer]);
    visit_fetches(graph, mapping, token, [&](StreamId input, Worker from) {
      own = std::max(own, finish[graph.stream(input).producer] +
                              estimates.send[place_of(from)].of(estimates.bytes[input]));
    });
    own += estimates.run(token, mapping[token]);
    finish[token] = own;
  }
  return finish.empty() ? 0 : *std::ranges::max_element(finish);
}

std::uint64_t fetched_bytes(const Structure& graph, const Estimates& estimates, const Mapping& mapping) {
  std::uint64_t sum = 0;
  for (TokenId token = 0; token < graph.tokens(); ++token)
    visit_fetches(graph, mapping, token, [&](StreamId input, Worker) { sum += estimates.bytes[input]; });
  return sum;
}

}  // namespace lbsp::dataflow::comparison
