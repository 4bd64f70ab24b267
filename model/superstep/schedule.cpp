#include "model/superstep/schedule.hpp"

#include <algorithm>

#include "model/mathematics/special_functions.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr std::size_t usual_groups = 8;

/// With all copies or coded segments.
double planned_load_of(std::span<const ProtectedMessages> kinds, const Protocol& protocol) {
  double seconds = 0;
  for (const ProtectedMessages& kind : kinds) {
    const double blocks = Blocks(kind.segments, protocol.limits.block_segments).count();
    const double segments =
        kind.is_coded() ? kind.segments + blocks * kind.repair_segments : 1. * kind.segments * kind.copies;
    seconds += kind.per_rank * segments * kind.segment_seconds;
  }
  return seconds;
}

}  // namespace

double burst_of(std::span<const Messages> kinds, const Protocol& protocol) {
  double longest = 0;
  for (const Messages& kind : kinds)
    longest = std::max(longest, kind.segment_seconds);
  return std::max(protocol.timing.idle_burst, protocol.timing.least_burst_datagrams * longest);
}

Schedule::Schedule(const Superstep& of, std::span<const Protection> protection, const Protocol& by,
                   BlockOutcomes& known)
    : path(of.path),
      protocol(by),
      again(of.path.lost_again()),
      outcomes(known),
      link(burst_of(of.messages, by)),
      completion(std::max({of.path.round_trip / 64, of.seconds() / 256, 1e-7})) {
  kinds.reserve(of.messages.size());
  groups.reserve(usual_groups * of.messages.size());
  for (std::size_t i = 0; i < of.messages.size(); ++i) {
    kinds.push_back({of.messages[i], protection[i]});
    append_send_groups(groups, kinds[i], static_cast<int>(i), of.ranks, path, protocol, outcomes);
  }
  planned_seconds = planned_load_of(kinds, protocol);
  for (const SendGroup& group : groups)
    if (group.outcome != nullptr) blocks += group.weight;
}

void Schedule::arrive(SendGroup& arrived, double share, double time) {
  const bool first = arrived.missing >= 1;
  arrived.missing = std::max(0., arrived.missing - share);
  if (arrived.missing >= 1) return;
  if (!first && arrived.weight * arrived.missing > -log_of_nothing) return;  // F is still 0
  const double log_complete = arrived.weight * mathematics::log_of_rest(arrived.missing);
  if (first) {
    completion.begin(time);
  } else {
    completion.add(time, log_complete - arrived.log_complete);
  }
  arrived.log_complete = log_complete;
}

}  // namespace lbsp::model::superstep
