#include "model/paper/optimum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "model/mathematics/require.hpp"
#include "model/paper/conceptual.hpp"

namespace lbsp::model::paper {
namespace {

using At = std::function<Choice(double nodes)>;

constexpr double flat = 0.99;
constexpr std::size_t most_runners_up = 3;

/// The places in `scanned` where neither neighbour is better, best first.
std::vector<std::size_t> local_maxima(const std::vector<Choice>& scanned) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scanned.size(); ++i) {
    const bool rises = i == 0 || scanned[i].speedup > scanned[i - 1].speedup;
    const bool falls = i + 1 == scanned.size() || scanned[i].speedup >= scanned[i + 1].speedup;
    if (rises && falls) found.push_back(i);
  }
  std::ranges::stable_sort(found, std::greater{}, [&](auto i) { return scanned[i].speedup; });
  return found;
}

void describe_flatness(Optimum& optimum, const std::vector<Choice>& scanned, std::size_t best) {
  const double enough = flat * optimum.best.speedup;
  std::size_t from = best;
  while (from > 0 && scanned[from - 1].speedup >= enough)
    --from;
  std::size_t to = best;
  while (to + 1 < scanned.size() && scanned[to + 1].speedup >= enough)
    ++to;
  optimum.flat_from = scanned[from];
  optimum.flat_to = scanned[to];
}

/// K = ⌈ln(1e6·c) / ln(1/p)⌉, at most 4096: with more copies less than 2e-6 of the rounds can be gained.
int most_copies(const Question& question, double packets) {
  const double loss = question.network.loss;
  mathematics::require_loss(loss);
  if (packets == 0 || loss == 0) return 1;
  constexpr double most = 4096;
  return static_cast<int>(std::clamp(std::ceil(std::log(1e6 * packets) / -std::log(loss)), 1., most));
}

std::vector<Choice> scan_copies(const Question& question, double nodes, int beyond) {
  const double packets = packets_per_superstep(question.packets, nodes);
  std::vector<Choice> scanned;
  for (int copies = 1; copies <= most_copies(question, packets) + beyond; ++copies)
    scanned.push_back(evaluate(question, copies, nodes));
  return scanned;
}

std::vector<double> grid(double most) {
  std::vector<double> nodes;
  for (double n = 1; n < most; n = n < 1024 ? n + 1 : std::ceil(n * 1.002))
    nodes.push_back(n);
  nodes.push_back(most);
  return nodes;
}

/// The best whole number from `from` to `to`, between which there is one maximum.
Choice refine(const At& at, double from, double to) {
  constexpr double parts = 64;
  while (true) {
    const double step = std::max(1., std::floor((to - from) / parts));
    Choice best = at(from);
    for (double n = from + step; n <= to; n += step)
      if (const Choice here = at(n); here.speedup > best.speedup) best = here;
    if (step == 1) return best;
    from = std::max(from, best.nodes - step);
    to = std::min(to, best.nodes + step);
  }
}

void describe_neighbours(Optimum& optimum, const At& at, double most) {
  const double n = optimum.best.nodes;
  for (const double nodes : {std::floor(n / 2), n - 1, n + 1, 2 * n}) {
    if (nodes < 1 || nodes > most || nodes == n) continue;
    if (optimum.neighbours.empty() || optimum.neighbours.back().nodes < nodes)
      optimum.neighbours.push_back(at(nodes));
  }
}

Optimum scan_nodes(const At& at, double most) {
  const std::vector<double> nodes = grid(most);
  std::vector<Choice> scanned;
  scanned.reserve(nodes.size());
  for (const double n : nodes)
    scanned.push_back(at(n));
  const std::vector<std::size_t> peaks = local_maxima(scanned);
  std::vector<Choice> refined;
  for (std::size_t i = 0; i < std::min(peaks.size(), most_runners_up + 1); ++i) {
    const std::size_t peak = peaks[i];
    refined.push_back(
        refine(at, nodes[peak == 0 ? 0 : peak - 1], nodes[std::min(peak + 1, nodes.size() - 1)]));
  }
  std::ranges::stable_sort(refined, std::greater{}, &Choice::speedup);
  Optimum optimum;
  optimum.best = refined.front();
  optimum.runners_up.assign(refined.begin() + 1, refined.end());
  optimum.at_limit = optimum.best.nodes == most;
  describe_flatness(optimum, scanned, peaks.front());
  describe_neighbours(optimum, at, most);
  return optimum;
}

Optimum conceptual_best_nodes(const Question& question, int copies, std::optional<double> most) {
  const At at = [&](double nodes) { return evaluate(question, copies, nodes); };
  const auto whole = conceptual::optimal_whole_nodes(question.packets, question.network.loss, copies);
  if (!most && (!whole || !std::isfinite(*whole)))
    throw std::invalid_argument(
        "the speedup grows with the nodes for ever: give the largest number of nodes");
  const double limit = most.value_or(INFINITY);
  Optimum optimum;
  optimum.best = at(std::min(whole.value_or(limit), limit));
  optimum.at_limit = optimum.best.nodes == limit;
  // One maximum, so that on either side of it steps of half the length each find where the flat part ends.
  const auto reach = [&](double direction) {
    double end = optimum.best.nodes;
    for (double step = std::max(1., end); step >= std::max(1., end * 1e-15); step = std::floor(step / 2)) {
      const auto next = [&] { return end + direction * step; };
      while (next() >= 1 && next() <= limit && at(next()).speedup >= flat * optimum.best.speedup)
        end = next();
    }
    return at(end);
  };
  optimum.flat_from = reach(-1);
  optimum.flat_to = reach(1);
  describe_neighbours(optimum, at, limit);
  return optimum;
}

double checked_most(std::optional<double> most) {
  const double nodes = most.value_or(default_most_nodes);
  mathematics::require_count(nodes, "nodes");
  return std::floor(nodes);
}

}  // namespace

Choice evaluate(const Question& question, int copies, double nodes) {
  const PacketsPerSuperstep kind = question.packets;
  if (question.model == Concept::communication_free)
    return {copies, nodes, conceptual::speedup(kind, nodes, question.network.loss, copies)};
  const Superstep superstep{question.work_seconds, nodes, packets_per_superstep(kind, nodes)};
  return {copies, nodes, predict(superstep, question.network, copies, question.scheme).speedup};
}

Optimum best_copies(const Question& question, double nodes) {
  constexpr int neighbours = 2;
  const std::vector<Choice> scanned = scan_copies(question, nodes, neighbours);
  const std::vector<std::size_t> peaks = local_maxima(scanned);
  std::size_t best = peaks.front();
  if (question.model == Concept::communication_free) {
    const double limit = nodes * (1 - 1e-6);
    const auto enough = std::ranges::find_if(scanned, [&](const Choice& c) { return c.speedup >= limit; });
    if (enough != scanned.end()) best = static_cast<std::size_t>(enough - scanned.begin());
  }
  Optimum optimum;
  optimum.best = scanned[best];
  for (std::size_t i = best >= neighbours ? best - neighbours : 0;
       i < scanned.size() && i <= best + neighbours; ++i)
    if (i != best) optimum.neighbours.push_back(scanned[i]);
  if (question.model == Concept::lbsp) {
    for (std::size_t i = 1; i < std::min(peaks.size(), most_runners_up + 1); ++i)
      optimum.runners_up.push_back(scanned[peaks[i]]);
  }
  describe_flatness(optimum, scanned, best);
  return optimum;
}

Optimum best_nodes(const Question& question, int copies, std::optional<double> most_nodes) {
  mathematics::require_copies(copies);
  const double most = checked_most(most_nodes);
  if (question.model == Concept::communication_free)
    return conceptual_best_nodes(question, copies, most_nodes ? std::optional(most) : std::nullopt);
  return scan_nodes([&](double nodes) { return evaluate(question, copies, nodes); }, most);
}

Optimum best_copies_and_nodes(const Question& question, std::optional<double> most_nodes) {
  if (question.model == Concept::communication_free)
    throw std::invalid_argument(
        "without the cost of communication more copies and nodes are always better: give the copies or the "
        "nodes");
  const At at = [&](double nodes) {
    const std::vector<Choice> scanned = scan_copies(question, nodes, 0);
    return *std::ranges::max_element(scanned, {}, &Choice::speedup);
  };
  return scan_nodes(at, checked_most(most_nodes));
}

}  // namespace lbsp::model::paper
