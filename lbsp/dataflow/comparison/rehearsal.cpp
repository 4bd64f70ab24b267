#include "lbsp/dataflow/comparison/rehearsal.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "lbsp/dataflow/comparison/heft.hpp"
#include "lbsp/dataflow/comparison/length.hpp"
#include "lbsp/trace/processor_time.hpp"

namespace lbsp::dataflow::comparison {

using planning::Estimates;
using planning::LevelPlan;
using planning::StreamIndex;

namespace {

/// Calls it and adds the processor time that it takes to `sum`.
template <class Call>
auto timed(Ticks& sum, Call call) {
  const transport::Duration begin = trace::thread_processor_time();
  auto result = call();
  sum += (trace::thread_processor_time() - begin).count();
  return result;
}

/// The workers run what HEFT planned, each in its order, until a token's time is out of all proportion.
class ReplannedRun {
 public:
  ReplannedRun(const Structure& graph, const Estimates& estimates, const Reality& reality)
      : graph_(graph),
        estimates_(estimates),
        reality_(reality),
        past_{std::vector<bool>(graph.tokens()), std::vector<Slot>(graph.tokens()), 0},
        ended_(graph.tokens()),
        running_(estimates.send.size()),
        queues_(estimates.send.size()) {}

  Rehearsal run() {
    plan();
    for (;;) {
      for (Worker worker = 0; worker < estimates_.workers(); ++worker)
        begin_next(worker);
      const auto first = std::ranges::min_element(running_, {}, [](const auto& each) {
        return each ? each->ends : std::numeric_limits<Ticks>::max();
      });
      if (!*first) break;
      end(first - running_.begin());
    }
    rehearsal_.length = past_.now;
    return rehearsal_;
  }

 private:
  struct Running {
    TokenId token;
    Ticks planned;  ///< how long it was to take
    Ticks takes;
    Ticks ends;
  };

  void plan() {
    const HeftPlan plan = timed(rehearsal_.planning, [&] { return heft(graph_, estimates_, past_); });
    ++rehearsal_.plans;
    rehearsal_.evaluations += plan.evaluations;
    for (auto& queue : queues_)
      queue.clear();
    for (const TokenId token : plan.order)
      queues_[place_of(plan.slots[token].worker)].push_back(token);
    for (auto& queue : queues_)  // the next one last
      std::ranges::sort(queue, std::greater(), [&](TokenId token) {
        return std::tuple(plan.slots[token].start, graph_.token(token).level, token);
      });
  }

  void begin_next(Worker worker) {
    auto& queue = queues_[place_of(worker)];
    if (running_[place_of(worker)] || queue.empty()) return;
    const TokenId token = queue.back();
    Ticks start = past_.now;
    std::uint64_t fetched = 0;
    for (const StreamId input : graph_.token(token).inputs) {
      if (!graph_.produced(input)) continue;
      const TokenId producer = graph_.stream(input).producer;
      if (!ended_[producer]) return;
      const Slot& from = past_.slots[producer];
      if (from.worker == worker) continue;
      start =
          std::max(start, from.finish + estimates_.send[place_of(from.worker)].of(estimates_.bytes[input]));
      fetched += estimates_.bytes[input];
    }
    queue.pop_back();
    const Ticks planned = estimates_.run(token, worker);
    const Ticks takes = reality_.run(token, worker);
    running_[place_of(worker)] = Running{token, planned, takes, start + takes};
    past_.fixed[token] = true;
    past_.slots[token] = {worker, start, start + planned};
    rehearsal_.fetched_bytes += fetched;
  }

  void end(std::ptrdiff_t at) {
    const Running one = *running_[static_cast<std::size_t>(at)];
    running_[static_cast<std::size_t>(at)].reset();
    past_.now = one.ends;
    past_.slots[one.token].finish = one.ends;
    ended_[one.token] = true;
    reality_.learn(one.token, static_cast<Worker>(at), one.takes);
    if (one.takes < 2 * one.planned && one.planned < 2 * one.takes) return;
    for (const auto& other : running_)  // what is late has not ended yet
      if (other) past_.slots[other->token].finish = std::max(past_.slots[other->token].finish, past_.now);
    plan();
  }

  const Structure& graph_;
  const Estimates& estimates_;
  const Reality& reality_;
  HeftPast past_;
  std::vector<bool> ended_;
  std::vector<std::optional<Running>> running_;
  std::vector<std::vector<TokenId>> queues_;
  Rehearsal rehearsal_;
};

}  // namespace

Rehearsal rehearse_levels(const Structure& graph, const Estimates& estimates, const Reality& reality,
                          const MapOptions& options) {
  Rehearsal rehearsal;
  StreamIndex index(graph.streams());
  for (std::size_t level = 0; level < graph.levels(); ++level) {
    const LevelPlan plan = timed(rehearsal.planning, [&] {
      return planning::map_level(graph, index, graph.level(level), estimates, options);
    });
    ++rehearsal.plans;
    rehearsal.evaluations += plan.evaluations;
    std::vector<Ticks> busy(estimates.send.size());
    std::vector<std::pair<Placement, Ticks>> ended;
    for (const Placement& each : plan.placements) {
      const Ticks takes = reality.run(each.token, each.worker);
      Ticks& own = busy[place_of(each.worker)];
      own += takes;
      for (const StreamId input : graph.token(each.token).inputs) {
        if (!graph.produced(input) || index.holds(each.worker, input)) continue;
        own += estimates.move(estimates.bytes[input], index.holders(input));
        rehearsal.fetched_bytes += estimates.bytes[input];
      }
      ended.emplace_back(each, takes);
    }
    for (const auto& [each, takes] : ended)
      reality.learn(each.token, each.worker, takes);
    planning::note_level(index, graph, plan);
    rehearsal.length += *std::ranges::max_element(busy);
  }
  return rehearsal;
}

Rehearsal rehearse_replanned_heft(const Structure& graph, const Estimates& estimates,
                                  const Reality& reality) {
  return ReplannedRun(graph, estimates, reality).run();
}

}  // namespace lbsp::dataflow::comparison
