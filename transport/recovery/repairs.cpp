#include "transport/recovery/repairs.hpp"

#include <algorithm>

#include "transport/protocol_times.hpp"
#include "transport/recovery/leg_ahead.hpp"

namespace lbsp::transport {
namespace {

/// How many segments of the block have been sent again, or are queued to be, and are neither acknowledged nor
/// known to be lost (`lost`, ascending).
int repairs_under_way(const OutgoingMessage& message, std::uint32_t block,
                      std::span<const std::uint32_t> lost) {
  const BlockLayout layout(message.segment_count());
  const std::uint32_t from = std::max(message.first_unacknowledged(), layout.begin(block));
  int count = 0;
  for (std::uint32_t i = from; i < layout.end(block); ++i) {
    const OutgoingMessage::Segment& segment = message.segment(i);
    if (!segment.acknowledged && segment.repairs > 0 && !std::ranges::binary_search(lost, i)) ++count;
  }
  return count;
}

}  // namespace

void log_lost(PathLog& log, Rank to, const OutgoingMessage& message, std::span<const std::uint32_t> lost,
              Instant now) {
  for (const std::uint32_t segment : lost)
    log.add({.what = PathEvent::What::lost,
             .peer = to,
             .at = now,
             .number = message.segment(segment).last_packet});
}

void Repairs::queue(Peer& to, OutgoingMessage& message, std::span<const std::uint32_t> lost,
                    const LossDetection& detection, SegmentRange told, Instant now) {
  if (PathLog* const log = state_.config.log.get()) log_lost(*log, to.rank, message, lost, now);
  if (!message.plan().coded) {
    queue_segments(to, message, lost, now);
    return;
  }
  const BlockLayout& layout = message.blocks().layout();
  for (std::span<const std::uint32_t> rest = lost; !rest.empty();) {
    const std::uint32_t block = layout.block_of(rest.front());
    const auto behind = std::ranges::lower_bound(rest, layout.end(block));
    const auto in_block = rest.first(static_cast<std::size_t>(behind - rest.begin()));
    OutgoingBlock& state = message.blocks()[block];
    std::erase_if(state.under_way, [&](const OutgoingBlock::Sent& sent) {
      return detection.settled(sent.packet_number, sent.at);
    });
    // Of a block that the report tells only in part, the coded segments may be needed for the other part.
    const bool whole = told.from <= layout.begin(block) && layout.end(block) <= told.to;
    queue_for_block(to, message, block, in_block, whole, now);
    rest = rest.subspan(in_block.size());
  }
}

/// Sends what makes up, with what may still arrive, the number that the planner says for all that is to be
/// repaired: what is under way is not certain to arrive. Of that nothing is sent in advance while there is time to be
/// told of it and to send again. Segments that are lost go first, since whoever gets them need not decode; then coded
/// ones, as long as there are new ones; then copies.
void Repairs::queue_for_block(Peer& to, OutgoingMessage& message, std::uint32_t block,
                              std::span<const std::uint32_t> lost, bool whole, Instant now) {
  OutgoingBlock& state = message.blocks()[block];
  const int again_under_way = whole ? repairs_under_way(message, block, lost) : 0;
  const int lacking = static_cast<int>(lost.size()) + again_under_way - (whole ? state.held : 0);
  if (lacking <= 0) return;
  int earlier = 0;
  for (const std::uint32_t segment : lost)
    earlier = std::max<int>(earlier, message.segment(segment).repairs);
  const int planned = heard_in_time(state_, to, message)
                          ? lacking
                          : state_.config.planner->repairs_for(lacking, earlier, to.forecast());
  const int wanted = std::clamp(planned, lacking, std::max(lacking, most_repair_segments));
  int sends = std::max(0, wanted - again_under_way - (whole ? state.expected() : 0));
  const std::size_t again = std::min(lost.size(), static_cast<std::size_t>(sends));
  for (const std::uint32_t segment : lost.first(again)) {
    OutgoingMessage::Segment& resent = message.segment(segment);
    if (resent.repairs < UINT8_MAX) ++resent.repairs;
    resent.repair_queued = true;
    state_.queue_to(to).repairs.push(RepairJob{to.rank, message.id(), segment});
  }
  sends -= static_cast<int>(again);
  for (; sends > 0 && !state.exhausted(); --sends) {
    ++state.queued;
    state_.queue_to(to).repairs.push(RepairJob{to.rank, message.id(), block, true});
  }
  const Instant later = now + to.path.times.copy_spacing();
  for (const std::uint32_t segment : lost.first(std::min(lost.size(), static_cast<std::size_t>(sends))))
    state_.queue_to(to).repairs.push(RepairJob{to.rank, message.id(), segment}, later);
}

void Repairs::queue_segments(Peer& to, OutgoingMessage& message, std::span<const std::uint32_t> lost,
                             Instant now, int most) {
  const Duration spacing = to.path.times.copy_spacing();
  const PathForecast path = lost.empty() ? PathForecast{} : to.forecast();
  for (const std::uint32_t index : lost) {
    OutgoingMessage::Segment& segment = message.segment(index);
    const int copies =
        lost.size() > protocol::few_repairs
            ? 1
            : std::clamp(state_.config.planner->repairs_for(1, segment.repairs, path), 1, most);
    if (segment.repairs < UINT8_MAX) ++segment.repairs;
    segment.repair_queued = true;
    state_.queue_to(to).repairs.push(RepairJob{to.rank, message.id(), index});
    for (int i = 1; i < copies; ++i)
      state_.queue_to(to).repairs.push(RepairJob{to.rank, message.id(), index}, now + i * spacing);
  }
}

}  // namespace lbsp::transport
