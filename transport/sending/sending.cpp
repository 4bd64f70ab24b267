#include "transport/sending/sending.hpp"

#include <utility>

#include "transport/exchange_arguments.hpp"
#include "transport/messages/prefetch.hpp"
#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

/// From here on a rank's datagrams leave in trains. What a driver's timers let go together at this rate is as long as a
/// train; below it trains would be longer bursts than those of single datagrams.
constexpr BytesPerSecond train_rate = megabits_per_second(1000);

/// Whether the job has to wait, as the path to its peer has a lower rate than the rank. Others may go meanwhile.
template <class Job>
bool paced(Peer& to, OldestFirstQueue<Job>& jobs, const Job& job, Instant now) {
  if (to.path.rate.may_send(now)) return false;
  jobs.push(job, to.path.rate.next_release());
  return true;
}

SegmentHeader header_of(const OutgoingMessage& message, std::uint32_t segment) {
  SegmentHeader header;
  header.message = message.id();
  header.total_bytes = message.total_bytes();
  header.segment = segment;
  header.segment_bytes = message.segment_bytes();
  return header;
}

}  // namespace

void Sending::check_size(Rank to, const Bytes& message, std::uint32_t superstep) const {
  const EndpointConfig& config = state_.config;
  const bool too_many_segments =
      segments_of(message.size(), state_.peers[to].path.segment_bytes(message.size())) > UINT32_MAX;
  if (message.size() <= config.options.max_message_bytes && !too_many_segments) return;
  refuse_message(config.rank, to, message.size(), superstep, config.options.max_message_bytes);
}

void Sending::add_messages(std::vector<Bytes> outgoing, Instant now) {
  const MessageId id = state_.legs.id();
  state_.waiting_bytes = bytes_that_wait();
  state_.leg_segments = 0;
  state_.leg_bytes = 0;
  for (const Rank rank : state_.peers.others())
    state_.peers[rank].outbound.leg_bytes = 0;
  end_spares(state_.queue);
  end_spares(state_.near_queue);
  for (const Rank rank : state_.legs.destinations()) {
    const OutgoingMessage& message =
        add_message(id, rank, std::move(outgoing[static_cast<std::size_t>(rank)]));
    state_.peers[rank].wait.acknowledged_at = now;
    state_.peers[rank].outbound.leg_bytes = message.total_bytes();
    if (state_.peers[rank].near) continue;
    state_.leg_segments += message.segment_count();
    state_.leg_bytes += message.total_bytes();
  }
  state_.rate.begin_leg(state_.leg_bytes);
}

/// A rank to which nothing is sent may be in the next leg before it has sent all of the last one.
std::uint64_t Sending::bytes_that_wait() const {
  std::uint64_t bytes = 0;
  for (const Rank rank : state_.peers.others()) {
    const Peer& to = state_.peers[rank];
    if (to.near) continue;
    for (const OutgoingMessage& message : to.outbound.messages) {
      const std::uint64_t segments = message.segment_count() - message.first_never_sent();
      bytes += std::min(segments * message.segment_bytes(), message.total_bytes());
    }
  }
  return bytes;
}

const OutgoingMessage& Sending::add_message(MessageId id, Rank rank, Bytes payload) {
  Peer& to = state_.peers[rank];
  state_.counters.payload_bytes_sent += payload.size();
  const std::size_t segment_bytes = to.path.segment_bytes_for(payload.size(), to.forecast().loss);
  state_.queue_to(to).passes.push(PassJob{rank, id, 0, 0});
  return to.outbound.messages.add(OutgoingMessage(id, std::move(payload), segment_bytes, to.path.in_rounds));
}

void Sending::add_early(std::uint32_t superstep, EarlyMessages messages) {
  for (const Rank to : messages.destinations)
    check_size(to, messages.outgoing[static_cast<std::size_t>(to)], superstep);
  for (const Rank to : messages.destinations)
    add_message({superstep, Leg::early}, to, std::move(messages.outgoing[static_cast<std::size_t>(to)]));
}

const Transmit* Sending::next(SendQueue& queue, std::span<std::byte> buffer, Instant now) {
  if (!queue.acknowledgements.empty()) {
    return &write_acknowledgement(queue.acknowledgements.pop_front(), buffer, now);
  }
  while (queue.data_ready()) {
    const auto written = queue.repair_is_next() ? write_repair(queue.repairs.pop(), buffer, now)
                                                : write_copy(queue.passes, buffer, now);
    if (written) return written;
  }
  while (!queue.spares.empty()) {
    if (const auto written = write_spare(queue.spares.pop_front(), buffer, now)) return written;
  }
  return nullptr;
}

const Transmit& Sending::write_acknowledgement(const AckJob& job, std::span<std::byte> buffer, Instant now) {
  Peer& to = state_.peers[job.peer];
  return writer_.write(to, DatagramKind::ack, buffer, now, [&](WireWriter& out) {
    write(out, SegmentAck{to.inbound.echo(now), job.message, job.round, job.segment});
  });
}

const Transmit* Sending::write_repair(const RepairJob& job, std::span<std::byte> buffer, Instant now) {
  Peer& to = state_.peers[job.peer];
  OutgoingMessage* message = to.outbound.messages.find(job.message);
  if (message == nullptr || paced(to, state_.queue_to(to).repairs, job, now)) return nullptr;
  if (job.coded) {
    --message->blocks()[job.segment].queued;
    if (block_acknowledged(*message, job.segment) || to.path.sizes.on_trial()) return nullptr;
    ++state_.counters.segments_resent;
    return &write_coded(to, *message, job.segment, buffer, now);
  }
  if (message->segment(job.segment).acknowledged) return nullptr;
  message->segment(job.segment).repair_queued = false;
  if (to.path.sizes.on_trial()) return nullptr;
  ++state_.counters.segments_resent;
  return &write_segment(to, *message, job.segment, buffer, now);
}

/// Of the first pass. It stays where it is as long as it goes on and no other one has its turn.
const Transmit* Sending::write_copy(OldestFirstQueue<PassJob>& passes, std::span<std::byte> buffer,
                                    Instant now) {
  const PassJob& job = passes.front();
  const int pass = job.pass;
  Peer& to = state_.peers[job.peer];
  OutgoingMessage* message = to.outbound.messages.find(job.message);
  if (message == nullptr) {
    passes.pop();
    return nullptr;
  }
  if (!to.path.rate.may_send(now)) {
    passes.push(passes.pop(), to.path.rate.next_release());
    return nullptr;
  }
  if (pass == PassJob::coded) return write_planned_coded(passes.pop(), *message, buffer, now);
  const auto segment = message->next_in_pass(pass, job.next_segment);
  if (!segment) {
    finish_pass(passes.pop(), *message, now);
    return nullptr;
  }
  if (in_flight_.full(to)) {
    hold_back(passes.pop(), now);
    return nullptr;
  }
  if (state_.round.count() > 1) {
    ++state_.counters.segments_resent;
  } else if (pass > 0) {
    ++state_.counters.copies_sent;
  }
  if (pass == 0) begin_coded_passes(to, *message, *segment + 1);
  passes.turn([&](PassJob& first) { first.next_segment = *segment + 1; });
  const bool in_train = pass == 0 && (to.near || state_.rate.rate().value >= train_rate.value);
  return &write_segment(to, *message, *segment, buffer, now, in_train);
}

void Sending::finish_pass(const PassJob& job, OutgoingMessage& message, Instant now) {
  if (job.pass == 0 && message.plan().coded) begin_spares(job, message, now);
  if (job.pass + 1 >= message.plan().copies) return;
  const Duration spacing =
      state_.rules.spaces_copies ? state_.peers[job.peer].path.times.copy_spacing() : Duration{0};
  state_.queue_to(state_.peers[job.peer])
      .passes.push(PassJob{job.peer, job.message, job.pass + 1, message.plan().first_protected},
                   now + spacing);
}

/// The pass must wait until less is in flight.
void Sending::hold_back(const PassJob& job, Instant now) {
  Peer& to = state_.peers[job.peer];
  to.outbound.held_back.push_back(job);
  if (to.timers.at(Timer::probe) == never) recovery_.answer_awaited(to, now);
}

const Transmit& Sending::write_segment(Peer& to, OutgoingMessage& message, std::uint32_t segment,
                                       std::span<std::byte> buffer, Instant now, bool in_train) {
  if (segment >= message.first_never_sent()) state_.note_moved(now);
  const std::span<const std::byte> payload = message.payload(segment);
  SegmentHeader header = header_of(message, segment);
  header.round = state_.round.number();
  header.shorter_by = static_cast<std::uint16_t>(message.segment_bytes() - payload.size());
  header.echo = to.inbound.echo(now);
  message.sent(segment, to.outbound.next_packet, now);
  note_sent(to, message.id(), now);
  const auto write_body = [&](WireWriter& out) {
    write(out, header);
    out.put(payload);
    // It is there when this one has been sealed.
    if (segment + 1 < message.segment_count()) prefetch(message.payload(segment + 1));
  };
  return writer_.write(to, DatagramKind::data, buffer, now, write_body, in_train);
}

const Transmit& Sending::write_coded(Peer& to, OutgoingMessage& message, std::uint32_t block,
                                     std::span<std::byte> buffer, Instant now) {
  OutgoingBlock& state = message.blocks()[block];
  state.under_way.push_back({to.outbound.next_packet, now});
  note_sent(to, message.id(), now);
  SegmentHeader header = header_of(message, block);
  header.round = state.next_coded;
  header.coded = true;
  header.echo = to.inbound.echo(now);
  return writer_.write(to, DatagramKind::coded, buffer, now, [&](WireWriter& out) {
    write(out, header);
    encode_next(message, block, out.rest().first(message.segment_bytes()));
    out.skip(message.segment_bytes());
  });
}

/// Data of a later leg says that everything before it has arrived here, but nothing of what was early.
void Sending::note_sent(Peer& to, MessageId id, Instant now) {
  ++state_.counters.segments_sent;
  if (to.report.newest_complete < id && !to.report.owes_early)
    state_.alarm.clear(to.rank, Timer::acknowledge);
  const auto awaited = [&] {
    return Outbound::AnswerAwaited{now, to.echoed.packets, to.timers.at(Timer::probe)};
  };
  if (to.outbound.answer_awaited == awaited()) return;
  recovery_.answer_awaited(to, now);
  to.outbound.answer_awaited = awaited();
}

}  // namespace lbsp::transport
