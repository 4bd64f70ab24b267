#include "model/tuning/superstep_line.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/superstep/time_line.hpp"

namespace lbsp::model::tuning {
namespace {

/// Streams are taken to be steady when they last as long, …
constexpr double long_in_round_trips = 64;
/// … and have as many packets from a node.
constexpr double long_in_packets = 4000;

superstep::MessageKind kind_of(const ProgramMessages& messages, const PacketPath& path,
                               const Protection& protection) {
  constexpr double longest = 1e9;
  const double packets = std::min(packets_of(messages.bytes, path.packet_bytes), longest);
  const double bytes = messages.bytes / packets + packet_overhead_bytes;
  // Where nothing is lost nothing of it is sent: the first segments are acknowledged before.
  const bool none = path.loss == 0;
  const bool coded = !none && protection.repair && packets > 1;
  return {.per_rank = messages.per_node,
          .segments = static_cast<int>(packets),
          .segment_seconds = bytes / path.bandwidth,
          .copies = coded || none ? 1 : protection.copies,
          .repair_segments = coded ? *protection.repair : 0,
          .first_protected = 0,
          .coded = coded};
}

double sending_seconds(const std::vector<superstep::MessageKind>& kinds) {
  double seconds = 0;
  for (const superstep::MessageKind& kind : kinds)
    seconds += kind.per_rank * kind.segments * kind.segment_seconds;
  return seconds;
}

/// The beginning of the block that holds the segment.
int block_begin(int segments, double segment) {
  const double blocks = std::ceil(segments / most_block_packets);
  const double block = std::ceil(segments / blocks);
  return static_cast<int>(std::floor(segment / block) * block);
}

/// Leaves what goes more than a round trip before the end without coded segments of its own. Whether there is
/// such.
bool protect_the_end_only(std::vector<superstep::MessageKind>& kinds, double round_trip) {
  const double sending = sending_seconds(kinds);
  if (sending <= round_trip) return false;
  bool changed = false;
  for (superstep::MessageKind& kind : kinds) {
    if (!kind.coded || kind.repair_segments == 0) continue;
    kind.first_protected = block_begin(kind.segments, kind.segments * (1 - round_trip / sending));
    changed = changed || kind.first_protected > 0;
  }
  return changed;
}

/// The same superstep with that share of every message.
std::vector<superstep::MessageKind> shortened(std::vector<superstep::MessageKind> kinds, double share) {
  for (superstep::MessageKind& kind : kinds)
    kind.segments = std::max(1, static_cast<int>(std::round(kind.segments * share)));
  return kinds;
}

/// One superstep, as long as it is: the messages' protection is all or their end's.
class Line {
 public:
  Line(superstep::CompletionTimes& times, const PacketPath& path, bool end_only)
      : times_(times),
        end_only_(end_only),
        path_(path),
        long_enough_(std::max(long_in_round_trips * path.round_trip,
                              long_in_packets * path.packet_bytes / path.bandwidth)) {}

  /// Of a long stream only that part is worked out of which the rest goes on in the same way: what does not
  /// grow with the stream is the delay and the wait at its end, about 3/2 round trips.
  double seconds(const std::vector<superstep::MessageKind>& kinds) const {
    const double sending = sending_seconds(kinds);
    if (sending <= 2 * long_enough_) return mean(kinds);
    const auto part = shortened(kinds, long_enough_ / sending);
    const double known = mean(part);
    const double begun = sending_seconds(part);
    const double pace = std::max((known - 1.5 * path_.round_trip) / begun, 1 / (1 - path_.loss));
    return known + (sending - begun) * pace;
  }

 private:
  double mean(std::vector<superstep::MessageKind> kinds) const {
    if (end_only_) protect_the_end_only(kinds, path_.round_trip);
    return times_.of(kinds).mean();
  }

  superstep::CompletionTimes& times_;
  bool end_only_;
  const PacketPath& path_;
  double long_enough_;
};

}  // namespace

double superstep_line_seconds(const ProgramStep& step, double nodes, const PacketPath& path,
                              const Protection& protection) {
  validate_superstep(nodes, path, protection);
  if (nodes == 1) return 0;
  std::vector<superstep::MessageKind> kinds;
  for (const ProgramMessages& messages : all_messages(step, nodes))
    kinds.push_back(kind_of(messages, path, protection));
  superstep::CompletionTimes times(nodes, {path.round_trip, 0, path.loss, path.loss_after_loss.value_or(-1)});
  const double all = Line(times, path, false).seconds(kinds);
  std::vector<superstep::MessageKind> end = kinds;
  if (!protect_the_end_only(end, path.round_trip)) return all;
  return std::min(all, Line(times, path, true).seconds(kinds));
}

}  // namespace lbsp::model::tuning
