#include "model/critical_path/graph.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "model/mathematics/require.hpp"

namespace lbsp::model::critical_path {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

void require_arcs(const Graph& graph) {
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
    const std::size_t worst = std::max(graph.arcs[i].from, graph.arcs[i].to);
    if (worst >= graph.events)
      throw std::invalid_argument("arc " + std::to_string(i) + " at event " + std::to_string(worst) + " of " +
                                  std::to_string(graph.events) + ": events are numbered from 0");
  }
}

/// The arcs that leave each event, one event's after another's.
class Leaving {
 public:
  explicit Leaving(const Graph& graph) : first_(graph.events + 1, 0), arcs_(graph.arcs.size()) {
    for (const Arc& arc : graph.arcs)
      ++first_[arc.from + 1];
    for (std::size_t event = 0; event < graph.events; ++event)
      first_[event + 1] += first_[event];
    std::vector<std::size_t> next = first_;
    for (std::size_t i = 0; i < graph.arcs.size(); ++i)
      arcs_[next[graph.arcs[i].from]++] = i;
  }
  std::span<const std::size_t> of(std::size_t event) const {
    return std::span(arcs_).subspan(first_[event], first_[event + 1] - first_[event]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::size_t> arcs_;
};

/// The events so that each comes after those that lead to it.
std::vector<std::size_t> in_order(const Graph& graph, const Leaving& leaving) {
  std::vector<std::size_t> missing(graph.events, 0);
  for (const Arc& arc : graph.arcs)
    ++missing[arc.to];
  std::vector<std::size_t> order;
  for (std::size_t event = 0; event < graph.events; ++event)
    if (missing[event] == 0) order.push_back(event);
  for (std::size_t done = 0; done < order.size(); ++done)
    for (const std::size_t arc : leaving.of(order[done]))
      if (--missing[graph.arcs[arc].to] == 0) order.push_back(graph.arcs[arc].to);
  if (order.size() != graph.events)
    throw std::invalid_argument("events that wait for each other in a circle: a run's graph has no cycle");
  return order;
}

}  // namespace

SystemShare::SystemShare(std::vector<double> shares) : shares_(std::move(shares)) {
  for (const double share : shares_)
    if (!(share >= 0 && share < 1))
      throw std::invalid_argument("a system's share of " + std::to_string(share) +
                                  ": give a fraction of at least 0 and less than 1");
}

double SystemShare::seconds(double cpu_seconds, std::size_t rank) const {
  if (shares_.empty()) return cpu_seconds;
  if (shares_.size() > 1 && rank >= shares_.size())
    throw std::invalid_argument("no system's share for rank " + std::to_string(rank) +
                                ": give one for each rank");
  return cpu_seconds / (1 - shares_[shares_.size() == 1 ? 0 : rank]);
}

std::vector<double> durations(const Graph& graph, const MessageCost& cost, const SystemShare& share) {
  std::vector<double> out;
  out.reserve(graph.arcs.size());
  for (const Arc& arc : graph.arcs) {
    mathematics::require_not_negative(arc.amount,
                                      arc.kind == Kind::message ? "a message's size" : "a duration");
    switch (arc.kind) {
      case Kind::compute:
        out.push_back(share.seconds(arc.amount, arc.rank));
        break;
      case Kind::message:
        out.push_back(cost.seconds(arc.amount));
        break;
      case Kind::sync:
        out.push_back(arc.amount);
        break;
    }
  }
  return out;
}

LongestPath longest_path(const Graph& graph, std::span<const double> durations) {
  require_arcs(graph);
  const Leaving leaving(graph);
  const std::vector<std::size_t> order = in_order(graph, leaving);
  LongestPath out;
  out.times.assign(graph.events, 0);
  std::vector<std::size_t> by(graph.events, none);
  for (const std::size_t event : order)
    for (const std::size_t i : leaving.of(event)) {
      const std::size_t to = graph.arcs[i].to;
      const double arrival = out.times[event] + durations[i];
      if (by[to] != none && arrival <= out.times[to]) continue;
      out.times[to] = arrival;
      by[to] = i;
    }
  if (order.empty()) return out;

  const auto last = std::ranges::max_element(out.times);
  out.seconds = *last;
  for (std::size_t i = by[static_cast<std::size_t>(last - out.times.begin())]; i != none;
       i = by[graph.arcs[i].from])
    out.arcs.push_back(i);
  std::ranges::reverse(out.arcs);

  std::vector<double> latest(graph.events, out.seconds);
  for (auto event = order.rbegin(); event != order.rend(); ++event)
    for (const std::size_t i : leaving.of(*event))
      latest[*event] = std::min(latest[*event], latest[graph.arcs[i].to] - durations[i]);
  for (std::size_t i = 0; i < graph.arcs.size(); ++i)
    out.slack.push_back(latest[graph.arcs[i].to] - out.times[graph.arcs[i].from] - durations[i]);
  // Sums of other orders differ in their last digits.
  for (const std::size_t i : out.arcs)
    out.slack[i] = 0;
  return out;
}

std::vector<double> slack_of_ranks(const Graph& graph, const LongestPath& path) {
  std::vector<double> out;
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
    const Arc& arc = graph.arcs[i];
    if (arc.kind != Kind::compute) continue;
    if (out.size() <= arc.rank) out.resize(arc.rank + 1, std::numeric_limits<double>::infinity());
    out[arc.rank] = std::min(out[arc.rank], std::max(0.0, path.slack[i]));
  }
  return out;
}

}  // namespace lbsp::model::critical_path
