// The coded segments of messages that are sent for the first time: those that are planned, and spare ones.
#include <cmath>
#include <utility>

#include "transport/protocol_times.hpp"
#include "transport/sending/sending.hpp"

namespace lbsp::transport {
namespace {

/// Coded segments of each block that no spare ones follow, as the leg is over but its message is still being sent, or
/// has just been. If the peer sends as much, the two are apart already. A repair would keep the peer in the leg, and
/// them apart, by a round trip for many supersteps. What goes one way only delays nobody if it is repaired while the
/// next leg's message is being sent.
int coded_without_spares(const Peer& to, const OutgoingMessage& message) {
  const bool both_ways = to.inbound.taken_bytes >= message.total_bytes() / 2;
  return static_cast<int>(
      std::ceil(message.plan().without_spares * (both_ways ? 1 : protocol::one_way_spares)));
}

}  // namespace

const Transmit* Sending::write_planned_coded(const PassJob& job, OutgoingMessage& message,
                                             std::span<std::byte> buffer, Instant now) {
  const std::uint32_t block = job.next_segment;
  OutgoingBlock& state = message.blocks()[block];
  if (block_acknowledged(message, block)) state.planned = 0;
  if (state.planned == 0) return nullptr;
  if (in_flight_.full(state_.peers[job.peer])) {
    hold_back(job, now);
    return nullptr;
  }
  ++state_.counters.coded_sent;
  if (--state.planned > 0) state_.queue_to(state_.peers[job.peer]).passes.push(job);
  return &write_coded(state_.peers[job.peer], message, block, buffer, now);
}

/// They keep to the bounds of queues like all else: what a bound leaves idle is lost while nobody has answered.
/// Of a leg that is over nobody knows yet whether spare segments help, while those of the next one would wait.
const Transmit* Sending::write_spare(SpareJob job, std::span<std::byte> buffer, Instant now) {
  Peer& to = state_.peers[job.peer];
  OutgoingMessage* message = to.outbound.messages.find(job.message);
  if (message == nullptr || job.message != state_.legs.id()) return nullptr;
  if (to.path.rate.carries_little() || now > job.until || in_flight_.full(to) || !to.path.rate.may_send(now))
    return nullptr;
  const std::uint32_t blocks = message->blocks().layout().blocks();
  for (std::uint32_t tried = job.first_block; tried < blocks; ++tried) {
    const std::uint32_t block = std::exchange(job.next_block, job.next_block + 1);
    if (job.next_block == blocks) job.next_block = job.first_block;
    if (!message->blocks()[block].may_spare() || block_acknowledged(*message, block)) continue;
    --message->blocks()[block].spare;
    ++state_.counters.coded_sent;
    state_.queue_to(to).spares.push_back(job);
    return &write_coded(to, *message, block, buffer, now);
  }
  return nullptr;
}

/// All segments have been sent once. Blocks that no report can have told of yet get spare segments.
void Sending::begin_spares(const PassJob& job, OutgoingMessage& message, Instant now) {
  if (message.plan().most_segments == 0) return;
  const auto round_trips = [&](double count) {
    return std::chrono::duration_cast<Duration>(count * state_.peers[job.peer].path.times.round_trip());
  };
  const Instant heard_of = now - round_trips(protocol::unheard_round_trips);
  const BlockLayout& layout = message.blocks().layout();
  std::uint32_t first = layout.blocks();
  while (first > 0 && message.segment(layout.end(first - 1) - 1).last_sent > heard_of)
    --first;
  if (first == layout.blocks()) return;
  if (job.message != state_.legs.id()) return do_without_spares(state_.peers[job.peer], message, first);
  state_.queue_to(state_.peers[job.peer])
      .spares.push_back(
          SpareJob{job.peer, job.message, first, first, now + round_trips(protocol::spare_round_trips)});
}

/// Those of the leg that is over.
void Sending::end_spares(SendQueue& queue) {
  while (!queue.spares.empty()) {
    const SpareJob job = queue.spares.pop_front();
    Peer& to = state_.peers[job.peer];
    if (OutgoingMessage* const message = to.outbound.messages.find(job.message))
      do_without_spares(to, *message, job.first_block);
  }
}

void Sending::do_without_spares(const Peer& to, OutgoingMessage& message, std::uint32_t first_block) {
  const int coded = coded_without_spares(to, message);
  const BlockLayout& layout = message.blocks().layout();
  for (std::uint32_t block = first_block; block < layout.blocks(); ++block) {
    if (layout.end(block) <= message.plan().first_protected) continue;
    if (message.blocks().plan_without_spares(block, coded))
      state_.queue_to(to).passes.push(PassJob{to.rank, message.id(), PassJob::coded, block});
  }
}

/// The planned coded segments of every block of which all segments below `sent` are a part.
void Sending::begin_coded_passes(const Peer& to, OutgoingMessage& message, std::uint32_t sent) {
  if (!message.plan().coded) return;
  while (const auto block = message.blocks().next_to_code(sent)) {
    if (message.id() != state_.legs.id())
      message.blocks().plan_without_spares(*block, coded_without_spares(to, message));
    state_.queue_to(to).passes.push(PassJob{to.rank, message.id(), PassJob::coded, *block});
  }
}

}  // namespace lbsp::transport
