#include "transport/core/receiver_driven.hpp"

#include <algorithm>

#include "transport/core/datagram_sizes.hpp"
#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// How often a probe goes out at its plain timeout before the time between probes grows.
constexpr std::uint32_t probes_before_backoff = 3;
constexpr Duration longest_probe_interval = 1s;

constexpr std::uint32_t most_doublings = 8;
constexpr Duration longest_report_interval = 250ms;

bool has_incomplete(const OpenMessages<IncomingMessage>& messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [](const IncomingMessage& message) { return !message.complete(); });
}

std::uint64_t unacknowledged(const OpenMessages<OutgoingMessage>& messages) {
  std::uint64_t segments = 0;
  for (const OutgoingMessage& message : messages)
    segments += message.unacknowledged();
  return segments;
}

}  // namespace

void ReceiverDriven::leg_begun(Instant) {
  if (state_.leg.awaited == 0) state_.complete_leg();
}

void ReceiverDriven::message_arrived() {
  if (state_.leg.awaited == 0) state_.complete_leg();
}

/// Data of a later leg says that everything before it has arrived here.
void ReceiverDriven::data_sent(Rank to, MessageId id, Instant now) {
  if (state_.peers[to].newest_complete < id) state_.alarm.clear(to, Timer::acknowledge);
  update_probe(to, now);
}

void ReceiverDriven::held_back(Rank to, Instant now) {
  if (state_.peers[to].timers.at(Timer::probe) == never) update_probe(to, now);
}

void ReceiverDriven::datagrams_limited(Rank to, Instant now) {
  Peer& other = state_.peers[to];
  for (OutgoingMessage& message : other.outgoing) {
    if (message.acknowledged() || message.largest_payload() <= other.segment_bytes()) continue;
    const auto of_message = [&](const auto& job) { return job.peer == to && job.message == message.id(); };
    state_.queue.repairs.remove_if(of_message);
    state_.queue.passes.remove_if(of_message);
    std::erase_if(other.held_back, of_message);
    message.cut_anew(other.segment_bytes());
    state_.queue.passes.push(PassJob{to, message.id(), 0, 0});
  }
  other.narrow = {};
  update_probe(to, now);
}

/// Everything before the message has arrived at the peer.
void ReceiverDriven::begun_by(Rank from, MessageId id, Instant now) {
  Peer& other = state_.peers[from];
  const auto acknowledged = other.outgoing.remove_if([&](const OutgoingMessage& message) {
    if (message.id() >= id) return false;
    other.narrow.arrived(message.largest_payload() + data_overhead_bytes);
    return true;
  });
  // A datagram that acknowledges nothing does not put off the probe for what the peer still lacks.
  if (acknowledged == 0) return;
  other.probes = 0;
  state_.note_moved(now);
  update_probe(from, now);
  farewell_.update(from, now);
}

void ReceiverDriven::segment_arrived(Rank from, const SegmentHeader& header, IncomingMessage* message,
                                     Instant now) {
  if (message != nullptr && !message->complete()) return;
  Peer& other = state_.peers[from];
  other.newest_complete = std::max(other.newest_complete, header.message);
  state_.alarm.bring_forward(from, Timer::acknowledge, now + other.path.acknowledgement_delay());
}

void ReceiverDriven::datagram_arrived(Rank from, bool gap, Instant now) {
  Peer& other = state_.peers[from];
  ++other.arrivals_since_report;
  const bool begun = has_incomplete(other.incoming);
  if (!begun && !(gap && other.awaited)) {
    state_.alarm.clear(from, Timer::report);
    return;
  }
  const Duration interval = report_interval(other);
  Instant at = now + interval;
  if (gap) at = std::max(now + other.path.reordering_window(), other.last_report + interval);
  const std::uint32_t most = std::clamp<std::uint32_t>(state_.room / 2, 1, protocol::datagrams_per_report);
  if (other.arrivals_since_report >= most) at = now;
  state_.alarm.bring_forward(from, Timer::report, at);
}

/// A report may be lost, and so may the repairs that it asks for: it is repeated until nothing is missing.
void ReceiverDriven::report_written(Rank to, Instant now) {
  Peer& other = state_.peers[to];
  if (!has_incomplete(other.incoming)) return;
  ++other.idle_reports;
  const std::uint32_t idle =
      std::max(other.idle_reports, protocol::reports_before_backoff) - protocol::reports_before_backoff;
  const Duration interval = report_interval(other);
  const Duration backed_off =
      std::min(interval * (1 << std::min(idle, most_doublings)), std::max(interval, longest_report_interval));
  state_.alarm.set(to, Timer::report, now + backed_off);
}

Duration ReceiverDriven::report_interval(const Peer& other) const {
  return std::max(other.path.report_interval(), state_.reports.round());
}

bool ReceiverDriven::report_arrived(Rank from, const StatusHeader& header, WireReader& entries, Instant now) {
  begun_by(from, header.position, now);
  Peer& other = state_.peers[from];
  const std::uint64_t lacked = unacknowledged(other.outgoing);
  if (!read_entries(from, header, entries, now)) return false;
  if (unacknowledged(other.outgoing) < lacked) other.probes = 0;
  other.outgoing.remove_if([](const OutgoingMessage& message) { return message.acknowledged(); });
  if (!header.partial) look_for_narrow_path(from, now);
  update_probe(from, now);
  farewell_.update(from, now);
  return true;
}

bool ReceiverDriven::read_entries(Rank from, const StatusHeader& header, WireReader& entries, Instant now) {
  Peer& other = state_.peers[from];
  const LossDetection detection(header.echo, other.path, now);
  std::vector<MessageId> told;
  while (!entries.rest().empty()) {
    const auto entry = read_status_entry(entries);
    if (!entry) return false;
    OutgoingMessage* message = other.outgoing.find(entry->message);
    if (message == nullptr) continue;
    // Of another cut it has nothing that counts, unless that made it complete.
    if (entry->segment_bytes != message->segment_bytes() && !entry->complete) continue;
    if (entry->of_block) {
      message->note_held(entry->first, entry->bits);
      continue;
    }
    told.push_back(entry->message);
    lost_.clear();
    const std::uint32_t before = message->unacknowledged();
    detection.apply(*entry, *message, lost_);
    if (message->unacknowledged() < before) state_.note_moved(now);
    if (const auto bytes = message->take_longest_acknowledged())
      other.narrow.arrived(*bytes + data_overhead_bytes);
    repairs_.queue(from, *message, lost_, detection, told_of(*entry, *message), now);
  }
  for (OutgoingMessage& message : other.outgoing) {
    if (header.partial || std::ranges::find(told, message.id()) != told.end()) continue;
    lost_.clear();
    detection.apply_absence(message, lost_);
    repairs_.queue(from, message, lost_, detection, {0, message.segment_count()}, now);
  }
  return true;
}

void ReceiverDriven::look_for_narrow_path(Rank from, Instant now) {
  Peer& other = state_.peers[from];
  if (!other.newest_echoed) return;
  const bool witness = other.narrow.reported(other.newest_echoed->packet_number, other.newest_echoed->bytes);
  if (!witness && !(other.narrow.suspected() && other.narrow.untold())) return;
  if (!other.narrow.certain()) {
    // The repairs that the report called for are large. Something small after them makes the next witness;
    // it may be lost, like any other.
    state_.alarm.bring_forward(from, Timer::report, now + report_interval(other));
    return;
  }
  const bool limit_known = other.narrow.smallest_large() > other.datagram_bytes;
  const std::size_t bytes = limit_known ? other.datagram_bytes : next_smaller_datagram(other.datagram_bytes);
  if (bytes == 0) return;
  other.limit_datagrams(bytes);
  datagrams_limited(from, now);
}

/// Nothing was heard for the probe timeout: sends the first and the last unacknowledged segment of every
/// message once more, so that the peer either has all or sees everything that it lacks between them. Every
/// message, because the last superstep's may have arrived, and only the data that says so was lost.
void ReceiverDriven::probe(Rank rank, Instant now) {
  Peer& other = state_.peers[rank];
  other.flight.probed(other.echoed_packets);
  state_.release_held_back(rank);
  for (OutgoingMessage& message : other.outgoing) {
    if (message.acknowledged() || message.first_never_sent() == 0) continue;
    const std::uint32_t first = message.first_unacknowledged();
    std::uint32_t last = message.first_never_sent() - 1;
    while (last > first && message.segment(last).acknowledged)
      --last;
    lost_.assign({first});
    if (last != first) lost_.push_back(last);
    std::erase_if(lost_, [&](std::uint32_t segment) { return message.segment(segment).repair_queued; });
    repairs_.queue_segments(rank, message, lost_, now);
  }
  // Something small with it tells whether the path is narrow.
  if (other.narrow.untold() && !other.report_queued) state_.queue_report(rank);
  ++other.probes;
  update_probe(rank, now);
}

void ReceiverDriven::update_probe(Rank rank, Instant now) {
  const Peer& other = state_.peers[rank];
  const bool waiting =
      std::any_of(other.outgoing.begin(), other.outgoing.end(),
                  [](const OutgoingMessage& message) { return message.first_never_sent() > 0; });
  if (!waiting && other.held_back.empty()) {
    state_.alarm.clear(rank, Timer::probe);
    return;
  }
  const Duration plain = probe_timeout(other);
  Duration timeout = plain;
  for (std::uint32_t i = probes_before_backoff; i < other.probes && timeout < longest_probe_interval; ++i) {
    timeout += timeout / 2;
  }
  state_.alarm.set(rank, Timer::probe, now + std::min(timeout, std::max(longest_probe_interval, plain)));
}

/// At a low rate the peer's answer waits for its turn among its reports and for the datagram that is leaving
/// there, longer than a peer that has all may hold it.
Duration ReceiverDriven::probe_timeout(const Peer& other) const {
  const auto datagram_bytes = static_cast<double>(state_.config.options.datagram_bytes);
  const Duration turn = state_.reports.round() + state_.rate.rate().time_for(datagram_bytes);
  const Duration held = other.path.acknowledgement_delay();
  return other.path.probe_timeout() + std::max(turn - held, Duration{0});
}

}  // namespace lbsp::transport
