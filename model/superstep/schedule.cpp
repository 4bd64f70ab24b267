#include "model/superstep/schedule.hpp"

#include <algorithm>

#include "model/mathematics/special_functions.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr std::size_t usual_groups = 8;

double load_of(std::span<const MessageKind> kinds) {
  double seconds = 0;
  for (const MessageKind& kind : kinds)
    seconds += kind.per_rank * kind.segments * kind.segment_seconds;
  return seconds;
}

double burst_of(std::span<const MessageKind> kinds, const ProtocolConstants& constants) {
  double longest = 0;
  for (const MessageKind& kind : kinds)
    longest = std::max(longest, kind.segment_seconds);
  return std::max(constants.idle_burst, constants.least_burst_datagrams * longest);
}

}  // namespace

Schedule::Schedule(double ranks, std::span<const MessageKind> all, const LossyPath& on,
                   const ProtocolConstants& by, BlockOutcomes& outcomes)
    : kinds(all),
      path(on),
      constants(by),
      again(on.loss_after_loss < 0 ? on.loss : on.loss_after_loss),
      link(burst_of(all, by)),
      steps(std::max({on.round_trip / 64, load_of(all) / 256, 1e-7})) {
  groups.reserve(usual_groups * kinds.size());
  for (int i = 0; i < static_cast<int>(kinds.size()); ++i)
    append_send_groups(groups, kinds[static_cast<std::size_t>(i)], i, ranks, path, constants, outcomes);
}

void Schedule::arrive(SendGroup& arrived, double share, double time) {
  const bool first = arrived.missing >= 1;
  arrived.missing = std::max(0., arrived.missing - share);
  if (arrived.missing >= 1) return;
  if (!first && arrived.weight * arrived.missing > -log_of_nothing) return;  // F is still 0
  const double log_complete = arrived.weight * mathematics::log_of_rest(arrived.missing);
  if (first) {
    steps.begin(time);
  } else {
    steps.add(time, log_complete - arrived.log_complete);
  }
  arrived.log_complete = log_complete;
}

}  // namespace lbsp::model::superstep
