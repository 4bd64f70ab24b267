#include "tools/tune/tune.hpp"

#include <algorithm>
#include <cmath>

#include "lbsp/plan/protocol.hpp"
#include "transport/error.hpp"

namespace lbsp::tune {

Advice advise(const Algorithm& algorithm, const Platform& platform, std::optional<double> most_nodes) {
  const double most =
      std::min(most_nodes.value_or(default_most_nodes), platform.most_nodes().value_or(INFINITY));
  const double sequential = algorithm.on(1, platform.rate(1)).sequential_seconds;
  const model::tuning::TuningQuestion question{.program =
                                                   [&](double nodes) {
                                                     model::tuning::Program program =
                                                         algorithm.on(nodes, platform.rate(nodes));
                                                     program.sequential_seconds = sequential;
                                                     return program;
                                                   },
                                               .paths = [&](double nodes) { return platform.paths(nodes); },
                                               .nodes = algorithm.admissible_nodes(std::max(most, 1.)),
                                               .protocol = plan::protocol()};
  Advice advice{
      .tuning = model::tuning::tune(question), .sequential_seconds = sequential, .hosts = {}, .warnings = {}};
  const double nodes = advice.tuning.best.nodes;
  advice.hosts = platform.hosts(nodes);
  for (const model::tuning::Doubt& doubt : advice.tuning.doubts)
    advice.warnings.push_back(doubt.what);
  for (const std::string& warning : platform.warnings(nodes))
    advice.warnings.push_back(warning);
  return advice;
}

}  // namespace lbsp::tune
