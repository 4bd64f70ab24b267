#include "tools/tune/tune.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "lbsp/plan/protocol.hpp"
#include "tools/tune/halo_choice.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"

namespace lbsp::tune {

std::vector<double> nodes_to_consider(const Algorithm& algorithm, const Platform& platform,
                                      const Decided& decided) {
  const double there = platform.most_nodes().value_or(INFINITY);
  if (!decided.nodes) {
    const double most = std::min(decided.most_nodes.value_or(default_most_nodes), there);
    return algorithm.admissible_nodes(std::max(most, 1.));
  }
  const double nodes = *decided.nodes;
  if (nodes > there)
    throw UsageError(fmt::format("--nodes {}: the profile has {} that reach one another: give no more", nodes,
                                 counted(there, "host")));
  const std::vector<double> admissible = algorithm.admissible_nodes(nodes);
  if (admissible.empty() || admissible.back() != nodes)
    throw UsageError(fmt::format("--nodes {}: {} does not run on so many: give {}", nodes,
                                 algorithm.command(), algorithm.nearest_nodes(nodes, there)));
  return {nodes};
}

Advice advise(const Algorithm& algorithm, const Platform& platform, const Decided& decided) {
  model::tuning::UsualTimes usual(plan::protocol());
  HaloChoice halo(algorithm, platform, usual);
  const auto shaped = [&](double nodes) {
    return decided.halo ? algorithm : algorithm.with_halo(halo.best(nodes));
  };
  const double sequential = algorithm.on(1, platform.rate(1)).sequential_seconds;
  const model::tuning::TuningQuestion question{.program =
                                                   [&](double nodes) {
                                                     model::tuning::Program program =
                                                         shaped(nodes).on(nodes, platform.rate(nodes));
                                                     program.sequential_seconds = sequential;
                                                     return program;
                                                   },
                                               .paths = [&](double nodes) { return platform.paths(nodes); },
                                               .nodes = nodes_to_consider(algorithm, platform, decided),
                                               .usual = usual};
  model::tuning::Tuning tuning = model::tuning::tune(question);
  const double nodes = tuning.best.nodes;
  Advice advice{.tuning = std::move(tuning),
                .sequential_seconds = sequential,
                .hosts = platform.hosts(nodes),
                .warnings = {},
                .algorithm = shaped(nodes)};
  advice.warnings = advice.tuning.doubts;
  for (const auto& warnings : {platform.warnings(nodes), algorithm.warnings()})
    advice.warnings.insert(advice.warnings.end(), warnings.begin(), warnings.end());
  return advice;
}

}  // namespace lbsp::tune
