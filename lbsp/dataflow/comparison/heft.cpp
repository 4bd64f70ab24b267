#include "lbsp/dataflow/comparison/heft.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lbsp::dataflow::comparison {

using planning::Estimates;

namespace {

/// When one worker is busy, ascending.
class Timetable {
 public:
  /// The earliest start from `ready` on that leaves room for `takes`.
  Ticks earliest(Ticks ready, Ticks takes) const {
    Ticks start = ready;
    for (auto next = after(ready); next != busy_.end() && next->start < start + takes; ++next)
      start = std::max(start, next->finish);
    return start;
  }

  void add(Ticks start, Ticks finish) {
    if (start == finish) return;
    busy_.insert(std::ranges::lower_bound(busy_, start, {}, &Busy::start), {start, finish});
  }

 private:
  struct Busy {
    Ticks start;
    Ticks finish;
  };

  /// The first that ends later.
  std::vector<Busy>::const_iterator after(Ticks time) const {
    return std::ranges::upper_bound(busy_, time, {}, &Busy::finish);
  }

  std::vector<Busy> busy_;
};

class Planner {
 public:
  Planner(const Structure& graph, const Estimates& estimates, const HeftPast& past)
      : graph_(graph), estimates_(estimates), past_(past), timetables_(estimates.send.size()) {
    plan_.slots.resize(graph.tokens());
    plan_.rank_sums.resize(graph.tokens());
  }

  HeftPlan plan() {
    for (TokenId token = 0; token < graph_.tokens(); ++token) {
      if (!fixed(token)) continue;
      const Slot& slot = plan_.slots[token] = past_.slots[token];
      timetables_[static_cast<std::size_t>(slot.worker)].add(slot.start, slot.finish);
    }
    rank();
    for (const TokenId token : plan_.order)
      place(token);
    return std::move(plan_);
  }

 private:
  bool fixed(TokenId token) const { return !past_.fixed.empty() && past_.fixed[token]; }

  /// Upward ranks, and the order that follows from them.
  void rank() {
    for (std::size_t level = graph_.levels(); level-- > 0;) {
      for (const TokenId token : graph_.level(level)) {
        if (fixed(token)) continue;
        plan_.rank_sums[token] = own_time(token) + longest_way_on(token);
        plan_.order.push_back(token);
      }
    }
    std::ranges::sort(plan_.order, {}, [this](TokenId token) {
      return std::tuple(-plan_.rank_sums[token], graph_.token(token).level, token);
    });
  }

  Ticks own_time(TokenId token) const {
    Ticks sum = 0;
    for (Worker worker = 0; worker < estimates_.workers(); ++worker)
      sum += estimates_.run(token, worker);
    return sum;
  }

  Ticks longest_way_on(TokenId token) const {
    Ticks longest = 0;
    for (const StreamId output : graph_.token(token).outputs) {
      Ticks sending = 0;
      for (const Transfer& from : estimates_.send)
        sending += from.of(estimates_.bytes[output]);
      for (const TokenId consumer : graph_.stream(output).consumers)
        longest = std::max(longest, sending + plan_.rank_sums[consumer]);
    }
    return longest;
  }

  void place(TokenId token) {
    Slot& slot = plan_.slots[token];
    for (Worker worker = 0; worker < estimates_.workers(); ++worker) {
      const Ticks takes = estimates_.run(token, worker);
      const Ticks start =
          timetables_[static_cast<std::size_t>(worker)].earliest(inputs_at(token, worker), takes);
      ++plan_.evaluations;
      if (worker == 0 || start + takes < slot.finish) slot = {worker, start, start + takes};
    }
    timetables_[static_cast<std::size_t>(slot.worker)].add(slot.start, slot.finish);
  }

  Ticks inputs_at(TokenId token, Worker worker) const {
    Ticks ready = past_.now;
    for (const StreamId input : graph_.token(token).inputs) {
      if (!graph_.produced(input)) continue;
      const Slot& from = plan_.slots[graph_.stream(input).producer];
      const Ticks moving =
          from.worker == worker
              ? 0
              : estimates_.send[static_cast<std::size_t>(from.worker)].of(estimates_.bytes[input]);
      ready = std::max(ready, from.finish + moving);
    }
    return ready;
  }

  const Structure& graph_;
  const Estimates& estimates_;
  const HeftPast& past_;
  std::vector<Timetable> timetables_;
  HeftPlan plan_;
};

}  // namespace

Mapping HeftPlan::mapping() const {
  Mapping workers;
  for (const Slot& slot : slots)
    workers.push_back(slot.worker);
  return workers;
}

Ticks HeftPlan::length() const {
  Ticks end = 0;
  for (const Slot& slot : slots)
    end = std::max(end, slot.finish);
  return end;
}

HeftPlan heft(const Structure& graph, const Estimates& estimates) {
  return heft(graph, estimates, {});
}

HeftPlan heft(const Structure& graph, const Estimates& estimates, const HeftPast& past) {
  return Planner(graph, estimates, past).plan();
}

}  // namespace lbsp::dataflow::comparison
