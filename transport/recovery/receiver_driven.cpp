#include "transport/recovery/receiver_driven.hpp"

#include <algorithm>
#include <span>

#include "transport/peers/calling.hpp"
#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// How often a probe goes out at its plain timeout before the time between probes grows.
constexpr std::uint32_t probes_before_backoff = 3;
constexpr Duration longest_probe_interval = 1s;

constexpr std::uint32_t most_doublings = 8;

/// A report tells of so many at the latest, although nothing is missing.
constexpr std::uint32_t arrivals_to_tell = 8;

/// Where nothing is known to have arrived, the intervals of probes and reports double each time.
constexpr std::uint32_t most_unheard_doublings = 6;
constexpr std::uint32_t plain_unheard_reports = 2;
constexpr Duration longest_unheard_interval = 4s;

/// Before the first data has arrived, short datagrams may have passed a token bucket at once, and the data may wait
/// behind it for a link a thousand times slower. So the second probe waits for this at least, each further one twice as
/// long, and all are without copies.
constexpr Duration least_unproven_interval = 20ms;
/// On longer ones, probes are rare anyway.
constexpr Duration longest_path_to_prove = 20ms;
constexpr std::uint32_t most_unproven_doublings = 6;
/// Data proves the path for datagrams that are so many times as long.
constexpr std::size_t longer_than_proven = 2;

/// Reports of usual length take an eighth of what a slow link carries.
constexpr double bytes_for_report = 800;

/// A message that takes longer than so many round trips to arrive comes slowly, rather than in one flight and its
/// repairs.
constexpr int round_trips_of_flight = 2;
/// Then a report goes for so much of it at most.
constexpr double bytes_to_tell_of = 1600;
/// But no later: a sender that hears nothing cannot tell a slow path from a cut one.
constexpr Duration longest_until_told = 100ms;

/// So long after the last datagram that is known to have arrived, the path to the peer seems to be cut, although its
/// reports still come. Then the first segment that lacks, with its copies, has to do until more of it is known: what is
/// small shows when the path is whole again (calling.hpp).
constexpr int round_trips_of_hope = 8;
constexpr Duration least_hope = 200ms;

bool seems_cut(const Peer& to, Instant now) {
  const Instant since = std::max(to.echoed.at, to.wait.acknowledged_at);
  return now - since > round_trips_of_hope * to.path.times.round_trip() + least_hope;
}

bool unheard(const Peer& other) {
  return other.echoed.packets == 0;
}

/// Nothing nearly as long as what goes to that peer is known to have arrived there, and it is near.
bool unproven(const Peer& other) {
  if (other.path.times.least() > longest_path_to_prove) return false;
  return std::ranges::any_of(other.outbound.messages, [&](const OutgoingMessage& message) {
    const std::uint64_t longest = std::min<std::uint64_t>(message.segment_bytes(), message.total_bytes());
    return longest > longer_than_proven * other.path.longest_arrived;
  });
}

bool has_incomplete(const OpenMessages<IncomingMessage>& messages) {
  return !std::ranges::all_of(messages, &IncomingMessage::complete);
}

/// Of what has been sent, as far as it shows.
bool lacks_nothing_sent(const OpenMessages<IncomingMessage>& messages) {
  return std::ranges::all_of(messages, &IncomingMessage::in_order);
}

/// Segments go to that peer, and tell what has arrived here.
bool still_sends(const OpenMessages<OutgoingMessage>& messages) {
  return std::ranges::any_of(messages, [](const OutgoingMessage& message) {
    return message.first_never_sent() < message.segment_count();
  });
}

/// How long as much takes to arrive as is worth a report. What arrives slowly would else be told several times for each
/// segment.
Duration time_for_news(const Peer& from) {
  const auto arriving = std::ranges::find_if_not(from.inbound.messages, &IncomingMessage::complete);
  if (arriving == from.inbound.messages.end()) return Duration{0};
  const Duration round_trip = from.path.times.round_trip();
  const Duration slow = arriving->arriving() - round_trips_of_flight * round_trip;
  if (slow <= Duration{0}) return Duration{0};
  const double part =
      bytes_to_tell_of / static_cast<double>(std::max<std::uint64_t>(arriving->arrived_bytes(), 1));
  return std::min(std::chrono::duration_cast<Duration>(slow * part), longest_until_told);
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
  const Duration interval = report_interval(from);
  Instant at = now + interval;
  if (!gap && hardly_tells(from, now)) {
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
  const std::uint32_t idle =
      std::max(to.report.idle, protocol::reports_before_backoff) - protocol::reports_before_backoff;
  const Duration interval = report_interval(to);
  const Duration backed_off = std::min(interval * (1 << std::min(idle, most_doublings)),
                                       std::max(interval, protocol::longest_report_interval));
  state_.alarm.set(to.rank, Timer::report, now + backed_off);
}

/// Where reports to all would take much of the rate, one that says only that all has arrived waits: the echoes of the
/// segments that go to the peer say so, too.
bool ReceiverDriven::hardly_tells(const Peer& to, Instant now) const {
  return state_.reports.expensive() && to.report.arrivals < arrivals_to_tell && !to.inbound.marks.news() &&
         lacks_nothing_sent(to.inbound.messages) && still_sends(to.outbound.messages) &&
         !state_.granted_rate(now);
}

Duration ReceiverDriven::reordering_window(Peer& other, Instant now) const {
  return std::max(other.path.times.reordering_window(), other.reordering(now));
}

Duration ReceiverDriven::report_interval(const Peer& other) const {
  Duration own = std::max(other.path.times.report_interval(), state_.reports.round());
  // Who sends next to nothing does not know what its own link carries.
  const bool hardly_sends = state_.leg_segments <= static_cast<std::uint64_t>(state_.peers.far());
  if (hardly_sends && !still_sends(other.outbound.messages)) own = std::max(own, time_for_news(other));
  if (unheard(other)) {
    const std::uint32_t written =
        std::max(other.report.unheard, plain_unheard_reports) - plain_unheard_reports;
    return own * (1 << std::min(written, most_unheard_doublings));
  }
  const auto carried = other.path.rate.carried();
  return carried ? std::max(own, carried->time_for(bytes_for_report)) : own;
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
  const int copies = to.outbound.probes > 0 && unproven(to) ? 1 : max_copies;
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
  state_.alarm.set(from.rank, Timer::probe, now + time_to_probe(from) + state_.lateness.of(now));
}

Duration ReceiverDriven::time_to_probe(const Peer& other) const {
  const Duration plain = probe_timeout(other);
  const std::uint32_t probes = other.outbound.probes;
  if (unheard(other))
    return std::min(plain * (1 << std::min(probes, most_unheard_doublings)),
                    std::max(longest_unheard_interval, plain));
  Duration timeout = plain;
  for (std::uint32_t i = probes_before_backoff; i < probes && timeout < longest_probe_interval; ++i)
    timeout += timeout / 2;
  if (probes > 0 && unproven(other))
    timeout = std::max<Duration>(
        timeout, least_unproven_interval * (1 << std::min(probes - 1, most_unproven_doublings)));
  return std::min(timeout, std::max(longest_probe_interval, plain));
}

/// At a low rate the peer's answer waits for its turn among its reports and for the datagram that is leaving
/// there, longer than a peer that has all may hold it.
Duration ReceiverDriven::probe_timeout(const Peer& other) const {
  const auto datagram_bytes = static_cast<double>(other.path.sizes.in_use());
  const Duration turn = state_.reports.round() + state_.rate.rate().time_for(datagram_bytes);
  const Duration held = other.path.times.acknowledgement_delay();
  return other.path.times.probe_timeout() + std::max(turn - held, Duration{0});
}

}  // namespace lbsp::transport
