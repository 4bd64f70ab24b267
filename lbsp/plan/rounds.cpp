#include "lbsp/plan/rounds.hpp"

#include <limits>

#include "model/paper/rounds.hpp"

namespace lbsp::plan {

double seconds_in_rounds(const model::superstep::Superstep& superstep, transport::Recovery recovery,
                         int copies) {
  double segments = 0;
  for (const model::superstep::Messages& kind : superstep.messages)
    segments += kind.per_rank * kind.segments;
  const double packets = superstep.ranks * segments;
  const double loss = superstep.path.loss;
  const model::paper::ExpectedRounds rounds =
      recovery == transport::Recovery::rounds
          ? model::paper::expected_rounds(model::paper::Scheme::rounds, loss, copies, packets)
          : model::paper::expected_rounds_whole_round_by_rank(loss, copies, packets, superstep.ranks);
  const double tau = model::paper::half_round_timeout(copies, segments, superstep.seconds() / segments,
                                                      superstep.path.round_trip);
  return 2 * tau * rounds.value();
}

int best_copies_in_rounds(const model::superstep::Superstep& superstep, transport::Recovery recovery) {
  // No k of 16 may be enough for whole rounds; then the most is the best.
  int best = transport::max_copies;
  double least = std::numeric_limits<double>::infinity();
  for (int copies = 1; copies <= transport::max_copies; ++copies) {
    const double seconds = seconds_in_rounds(superstep, recovery, copies);
    if (seconds >= least) continue;
    least = seconds;
    best = copies;
  }
  return best;
}

}  // namespace lbsp::plan
