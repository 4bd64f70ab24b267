#include "lbsp/dataflow/running/run_notes.hpp"

namespace lbsp::dataflow::running {

void note_run(World& world, const Structure& graph, const RunRecord& run) {
  const auto say = [&](const char* name, double value) { world.note("dataflow", name, value); };
  Ticks predicted = 0;
  Ticks computed = 0;
  for (const LevelRecord& level : run.levels) {
    predicted += level.predicted;
    computed += level.longest_computation();
  }
  say("tokens", static_cast<double>(graph.tokens()));
  say("streams", static_cast<double>(graph.streams()));
  say("levels", static_cast<double>(graph.levels()));
  say("moves", static_cast<double>(run.moves()));
  say("fetched_bytes", static_cast<double>(run.fetched_bytes()));
  say("planning_seconds", static_cast<double>(run.planning) / 1e9);
  say("planned_seconds", static_cast<double>(predicted) / 1e9);
  say("compute_seconds", static_cast<double>(computed) / 1e9);
  if (world.outlives_ranks()) say("copied_bytes", static_cast<double>(run.copied_bytes()));
  if (run.changes.empty()) return;
  RunChange sums;
  for (const RunChange& change : run.changes) {
    sums.lost += change.lost;
    sums.replaced += change.replaced;
    sums.joined += change.joined;
  }
  say("tokens_again", static_cast<double>(run.runs_again));
  say("ranks_lost", sums.lost);
  say("ranks_replaced", sums.replaced);
  say("ranks_joined", sums.joined);
}

}  // namespace lbsp::dataflow::running
