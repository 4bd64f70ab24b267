#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/superstep/prediction.hpp"
#include "model/superstep/repairs.hpp"
#include "model/superstep/schedule.hpp"

namespace lbsp::model::superstep {
namespace {

/// What goes out before a rank's last blocks for certain, besides planned sending: the first repair of the blocks of
/// which so many reports tell by then. Only of those that have no spare segments; others may lack less.
double certain_repairs(const Schedule& schedule) {
  constexpr int reports = 10;
  const Path& path = schedule.path;
  const auto times = ProtocolTimes::of(path, schedule.protocol.timing);
  double seconds = 0;
  double later = 0;  // planned sending of the kind between the group's blocks and the last ones
  for (std::size_t i = schedule.groups.size() - 1; i-- > 0;) {
    const SendGroup& group = schedule.groups[i];
    if (group.kind != schedule.groups[i + 1].kind) {
      later = 0;
      continue;
    }
    const ProtectedMessages& kind = schedule.kind_of(group);
    if (!kind.is_coded() || kind.first_protected > 0 ||
        kind.repair_segments < schedule.protocol.limits.repair_segments)
      continue;
    const double unfound = std::max(kind.per_rank * kind.segment_seconds + times.reordering_window,
                                    times.loss_delay - path.round_trip + times.report_interval);
    if (later > path.round_trip + unfound + reports * times.report_interval) {
      const double told_of = group.outcome->lacking_after.back() * (1 - std::pow(path.loss, reports + 1));
      seconds += std::max(0., told_of * group.parts - 1) * group.outcome->repairs.front().sends *
                 kind.segment_seconds;
    }
    later += group.parts * (group.block_segments + kind.repair_segments) * kind.segment_seconds;
  }
  return seconds;
}

}  // namespace

double least_seconds(const Superstep& superstep, std::span<const Protection> protection,
                     const Protocol& protocol, BlockOutcomes& outcomes) {
  if (superstep.messages.empty()) return 0;
  double sending = 0;
  double one = 0;  // segment, whose middle stands for it
  bool repairs = false;
  for (std::size_t i = 0; i < superstep.messages.size(); ++i) {
    const ProtectedMessages kind{superstep.messages[i], protection[i]};
    const Blocks blocks(kind.segments, protocol.limits.block_segments);
    const int coded = kind.is_coded() && kind.first_protected == 0 ? kind.repair_segments : 0;
    sending += kind.seconds() + kind.per_rank * (blocks.count() - 1.) * coded * kind.segment_seconds;
    one = std::max(one, kind.segment_seconds);
    repairs = repairs || coded >= protocol.limits.repair_segments;
  }
  const double planned =
      sending - one - burst_of(superstep.messages, protocol) + superstep.path.round_trip / 2;
  if (!repairs) return planned;
  return planned + std::min(sending, certain_repairs(Schedule(superstep, protection, protocol, outcomes)));
}

}  // namespace lbsp::model::superstep
