#include "model/superstep_line.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/time_line.hpp"

namespace lbsp::model {
namespace {

MessageKind kind_of(const ProgramMessages& messages, const PacketPath& path, const Protection& protection) {
  constexpr double longest = 1e9;
  const double packets = std::min(packets_of(messages.bytes, path.packet_bytes), longest);
  const double bytes = messages.bytes / packets + packet_overhead_bytes;
  const bool coded = protection.repair && packets > 1;
  return {.per_rank = messages.per_node,
          .segments = static_cast<int>(packets),
          .segment_seconds = bytes / path.bandwidth,
          .copies = coded ? 1 : protection.copies,
          .repair_segments = coded ? *protection.repair : 0,
          .first_protected = 0,
          .coded = coded};
}

/// Leaves what goes more than a round trip before the end without coded segments of its own. Whether there is
/// such.
bool protect_the_end_only(std::vector<MessageKind>& kinds, double round_trip) {
  double sending = 0;
  for (const MessageKind& kind : kinds)
    sending += kind.per_rank * kind.segments * kind.segment_seconds;
  if (sending <= round_trip) return false;
  bool changed = false;
  for (MessageKind& kind : kinds) {
    if (!kind.coded || kind.repair_segments == 0) continue;
    kind.first_protected = kind.segments - static_cast<int>(std::ceil(kind.segments * round_trip / sending));
    changed = changed || kind.first_protected > 0;
  }
  return changed;
}

}  // namespace

double superstep_line_seconds(const ProgramStep& step, double nodes, const PacketPath& path,
                              const Protection& protection) {
  validate_superstep(nodes, path, protection);
  if (nodes == 1) return 0;
  std::vector<MessageKind> kinds;
  for (const ProgramMessages& messages : all_messages(step, nodes))
    kinds.push_back(kind_of(messages, path, protection));
  const LossyPath lossy{.round_trip = path.round_trip,
                        .round_trip_variation = 0,
                        .loss = path.loss,
                        .loss_after_loss = path.loss_after_loss.value_or(-1)};
  double seconds = completion_time(nodes, kinds, lossy).mean();
  if (protect_the_end_only(kinds, path.round_trip))
    seconds = std::min(seconds, completion_time(nodes, kinds, lossy).mean());
  return seconds;
}

}  // namespace lbsp::model
