#include "transport/recovery/receiver_driven.hpp"

#include <algorithm>
#include <span>

#include "transport/peers/calling.hpp"
#include "transport/protocol_times.hpp"
#include "transport/recovery/recovery_times.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// So long after the last datagram that is known to have arrived, the path to the peer seems to be cut, although its
/// reports still come. Then the first segment that lacks, with its copies, has to do until more of it is known: what is
/// small shows when the path is whole again (calling.hpp).
constexpr int round_trips_of_hope = 8;
constexpr Duration least_hope = 200ms;

bool seems_cut(const Peer& to, Instant now) {
  const Instant since = std::max(to.echoed.at, to.wait.acknowledged_at);
  return now - since > round_trips_of_hope * to.path.times.round_trip() + least_hope;
}

bool has_incomplete(const OpenMessages<IncomingMessage>& messages) {
  return !std::ranges::all_of(messages, &IncomingMessage::complete);
}

std::uint64_t unacknowledged(const OpenMessages<OutgoingMessage>& messages) {
  std::uint64_t segments = 0;
  for (const OutgoingMessage& message : messages)
    segments += message.unacknowledged();
  return segments;
}

}  // namespace

/// The peer is in this leg: everything before it has arrived there.
void ReceiverDriven::begun_by(Peer& from, MessageId id, Instant now) {
  const auto is_before = [id](const OutgoingMessage& message) { return message.id() < id; };
  if (std::ranges::none_of(from.outbound.messages, is_before)) return;
  for (OutgoingMessage& message : from.outbound.messages) {
    if (!is_before(message)) continue;
    from.path.arrived(message.longest_datagram());
    state_.spare_payloads.give(message.take_payload());
  }
  from.outbound.messages.remove_if(is_before);
  from.outbound.probes = from.report.calls_in_vain = 0;
  state_.note_moved(now);
  answer_awaited(from, now);
  farewell_.update(from.rank, now);
}

void ReceiverDriven::segment_arrived(Peer& from, const SegmentHeader& header, Instant now) {
  const bool early = header.message.leg == Leg::early;
  if (!early) begun_by(from, header.message, now);
  const IncomingMessage* message = from.inbound.messages.find(header.message);
  if (message != nullptr && !message->complete()) return;
  if (early) {
    from.report.owes_early = true;
  } else {
    from.report.newest_complete = std::max(from.report.newest_complete, header.message);
  }
  state_.alarm.bring_forward(from.rank, Timer::acknowledge, now + from.path.times.acknowledgement_delay());
}

void ReceiverDriven::datagram_arrived(Peer& from, bool gap, Instant now) {
  ++from.report.arrivals;
  const bool begun = has_incomplete(from.inbound.messages);
  if (!begun && !(gap && from.wait.awaited)) {
    state_.alarm.clear(from.rank, Timer::report);
    return;
  }
  const Duration interval = report_interval(state_, from);
  Instant at = now + interval;
  if (!gap && report_hardly_tells(state_, from, now)) {
    const Duration round_trip = from.path.times.round_trip();
    const Instant latest = from.report.last + round_trip;
    state_.alarm.set(from.rank, Timer::report, std::min(now, latest) + std::max(interval, round_trip / 2));
    return;
  }
  if (gap) at = std::max(now + reordering_window(from, now), from.report.last + interval);
  const std::uint32_t most = std::clamp<std::uint32_t>(state_.room / 2, 1, protocol::datagrams_per_report);
  if (from.report.arrivals >= most) at = now;
  state_.alarm.bring_forward(from.rank, Timer::report, at);
}

/// A report may be lost, and so may the repairs that it asks for: it is repeated until nothing is missing.
void ReceiverDriven::report_written(Peer& to, Instant now) {
  to.report.owes_early = false;
  if (unheard(to)) ++to.report.unheard;
  if (!has_incomplete(to.inbound.messages)) return;
  ++to.report.idle;
  state_.alarm.set(to.rank, Timer::report, now + time_to_repeat_report(state_, to));
}

bool ReceiverDriven::report_arrived(Peer& from, const StatusHeader& header, WireReader& entries,
                                    Instant now) {
  begun_by(from, header.position, now);
  const std::uint64_t lacked = unacknowledged(from.outbound.messages);
  if (!read_entries(from, header, entries, now)) return false;
  const bool got_on = unacknowledged(from.outbound.messages) < lacked;
  if (got_on) from.outbound.probes = from.report.calls_in_vain = 0;
  from.outbound.messages.remove_if([](const OutgoingMessage& message) { return message.acknowledged(); });
  // A report that left before anything new of ours had come is no answer, and does not put off the probe.
  const bool answers = from.echoed.at == now;
  if (got_on || answers || !awaits_answer(from) || from.timers.at(Timer::probe) == never)
    answer_awaited(from, now);
  farewell_.update(from.rank, now);
  return true;
}

bool ReceiverDriven::read_entries(Peer& from, const StatusHeader& header, WireReader& entries, Instant now) {
  const Duration late = from.reordering(now) + state_.lateness.of(now);
  const LossDetection detection(header, from.path.times, from.echoed.newest, late, now);
  told_.clear();
  while (!entries.rest().empty()) {
    const auto entry = read_status_entry(entries);
    if (!entry) return false;
    OutgoingMessage* message = from.outbound.messages.find(entry->message);
    if (message == nullptr) continue;
    // Of another cut it has nothing that counts, unless that made it complete.
    if (entry->segment_bytes != message->segment_bytes() && !entry->complete) continue;
    if (entry->of_block) {
      message->blocks().note_held(entry->first, entry->bits);
      continue;
    }
    told_.push_back(entry->message);
    lost_.clear();
    const std::uint32_t before = message->unacknowledged();
    detection.apply(*entry, *message, lost_);
    if (message->unacknowledged() < before) state_.note_moved(now);
    if (const auto bytes = message->take_longest_acknowledged()) from.path.arrived(*bytes);
    repair(from, *message, detection, told_of(*entry, *message), now);
  }
  for (OutgoingMessage& message : from.outbound.messages) {
    if (header.partial || std::ranges::find(told_, message.id()) != told_.end()) continue;
    lost_.clear();
    detection.apply_absence(message, lost_);
    repair(from, message, detection, {0, message.segment_count()}, now);
  }
  return true;
}

void ReceiverDriven::repair(Peer& to, OutgoingMessage& message, const LossDetection& detection,
                            SegmentRange told, Instant now) {
  if (!seems_cut(to, now)) return repairs_.queue(to, message, lost_, detection, told, now);
  std::erase_if(lost_, [&](std::uint32_t segment) { return segment != message.first_unacknowledged(); });
  repairs_.queue_segments(to, message, lost_, now);
}

std::optional<AbortNotice> ReceiverDriven::struck(Rank rank, Timer timer, Instant now) {
  if (timer == Timer::probe) probe(state_.peers[rank], now);
  return std::nullopt;
}

/// Nothing was heard for the probe timeout: sends the first and the last unacknowledged segment of every
/// message once more, so that the peer either has all or sees everything that it lacks between them. Every
/// message, because the last superstep's may have arrived, and only the data that says so was lost. Of a path of which
/// nothing is known, one has to do: the answer may wait in a queue that the first transmissions have filled.
void ReceiverDriven::probe(Peer& to, Instant now) {
  to.outbound.flight.probed(to.echoed.packets);
  state_.release_held_back(to);
  const int copies = copies_to_probe(state_, to);
  for (OutgoingMessage& message : to.outbound.messages) {
    if (message.acknowledged() || message.first_never_sent() == 0) continue;
    const std::uint32_t first = message.first_unacknowledged();
    std::uint32_t last = message.first_never_sent() - 1;
    while (last > first && message.segment(last).acknowledged)
      --last;
    lost_.assign({first});
    if (last != first && !(unheard(to) && to.outbound.probes > 0)) lost_.push_back(last);
    std::erase_if(lost_, [&](std::uint32_t segment) { return message.segment(segment).repair_queued; });
    repairs_.queue_segments(to, message, lost_, now, copies);
  }
  // Something small with it tells whether the path is narrow. Its answer puts off the next probe, so it goes only
  // with a reason to suspect that.
  const bool cut_before = to.path.sizes.in_use() < first_datagram_bytes(state_.config.options);
  const bool suspect = cut_before || to.outbound.probes > 1 || to.path.narrow.doubtful();
  if (suspect && to.path.narrow.untold() && !to.report.queued) state_.queue_report(to);
  ++to.outbound.probes;
  state_.alarm.set(to.rank, Timer::keepalive, keepalive_at(state_, to));
  answer_awaited(to, now);
}

/// What went to others of its host before that was known waits no longer than if it had been.
void ReceiverDriven::path_measured(const Peer& to, Instant now) {
  for (const Rank rank : state_.peers.others()) {
    Peer& other = state_.peers[rank];
    if (!unheard(other) || other.timers.at(Timer::probe) == never) continue;
    if (!are_on_one_host(state_.config, rank, to.rank)) continue;
    const Duration timeout = time_to_probe(state_, other) + state_.lateness.of(now);
    state_.alarm.bring_forward(rank, Timer::probe, now + timeout);
  }
}

bool ReceiverDriven::awaits_answer(const Peer& from) {
  const bool sent = std::ranges::any_of(
      from.outbound.messages, [](const OutgoingMessage& message) { return message.first_never_sent() > 0; });
  return sent || !from.outbound.held_back.empty();
}

void ReceiverDriven::answer_awaited(Peer& from, Instant now) {
  if (!awaits_answer(from)) {
    state_.alarm.clear(from.rank, Timer::probe);
    return;
  }
  state_.alarm.set(from.rank, Timer::probe, now + time_to_probe(state_, from) + state_.lateness.of(now));
}

}  // namespace lbsp::transport
