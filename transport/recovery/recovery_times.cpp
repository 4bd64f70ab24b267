#include "transport/recovery/recovery_times.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "transport/paths/datagram_sizes.hpp"
#include "transport/peers/stand_in.hpp"
#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// How often a probe goes out at its plain timeout before the time between probes grows.
constexpr std::uint32_t probes_before_backoff = 3;
constexpr Duration longest_probe_interval = 1s;

/// Of the time between reports of which nothing comes.
constexpr std::uint32_t most_doublings = 8;

/// A report tells of so many at the latest, although nothing is missing.
constexpr std::uint32_t arrivals_to_tell = 8;

/// Where nothing is known to have arrived, the intervals of probes and reports double each time.
constexpr std::uint32_t most_unheard_doublings = 6;
constexpr std::uint32_t plain_unheard_reports = 2;
constexpr Duration longest_unheard_interval = 4s;

/// After a probe that nobody has answered: chance hardly takes all copies of one, but what has filled a link does, and
/// more of them would keep it full.
constexpr int copies_after_vain_probe = 3;

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

/// The next report may be held for longer than the last ones.
constexpr int most_of_usual_hold = 2;

/// Of what has been sent, as far as it shows.
bool lacks_nothing_sent(const OpenMessages<IncomingMessage>& messages) {
  return std::ranges::all_of(messages, &ArrivedSegments::in_order, &IncomingMessage::arrived);
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

/// What goes to that peer fits into small datagrams: to send it once too often costs little.
bool is_short(const OpenMessages<OutgoingMessage>& messages) {
  return std::ranges::all_of(messages, [](const OutgoingMessage& message) {
    return message.total_bytes() <= small_datagram_bytes - data_overhead_bytes;
  });
}

/// Whose path tells how long answers of that peer take. What is long may wait in a queue that was not there when the
/// other path was measured.
const Peer& teller_of(const EndpointState& state, const Peer& to) {
  return is_short(to.outbound.messages) ? stand_in_for(to, state) : to;
}

/// At a low rate the peer's answer may wait for its turn among its reports and for the datagram that is leaving there,
/// longer than a peer that has all may hold it. Its last answers show whether it does.
Duration probe_timeout(const EndpointState& state, const Peer& to) {
  const auto datagram_bytes = static_cast<double>(to.path.sizes.in_use());
  Duration turn = state.reports.round() + state.rate.rate().time_for(datagram_bytes);
  const Peer& known = teller_of(state, to);
  const auto usual = known.answers.most();
  if (usual && is_short(to.outbound.messages)) turn = std::min(turn, most_of_usual_hold * *usual);
  const Duration held = known.path.times.acknowledgement_delay();
  return known.path.times.probe_timeout() + std::max(turn - held, Duration{0});
}

}  // namespace

bool unheard(const Peer& other) {
  return other.echoed.packets == 0;
}

bool unproven(const EndpointState& state, const Peer& other) {
  const PeerPath& known = teller_of(state, other).path;
  if (known.times.least() > longest_path_to_prove) return false;
  return std::ranges::any_of(other.outbound.messages, [&](const OutgoingMessage& message) {
    const std::uint64_t longest = std::min<std::uint64_t>(message.segment_bytes(), message.total_bytes());
    return longest > longer_than_proven * known.longest_arrived;
  });
}

Duration reordering_window(Peer& from, Instant now) {
  return std::max(from.path.times.reordering_window(), from.reordering(now));
}

Duration report_interval(const EndpointState& state, const Peer& to) {
  Duration own = std::max(to.path.times.report_interval(), state.reports.round());
  // Who sends next to nothing does not know what its own link carries.
  const bool hardly_sends = state.leg_segments <= static_cast<std::uint64_t>(state.peers.far());
  if (hardly_sends && !still_sends(to.outbound.messages)) own = std::max(own, time_for_news(to));
  if (unheard(to)) {
    const std::uint32_t written = std::max(to.report.unheard, plain_unheard_reports) - plain_unheard_reports;
    return own * (1 << std::min(written, most_unheard_doublings));
  }
  const auto carried = to.path.rate.carried();
  return carried ? std::max(own, carried->time_for(bytes_for_report)) : own;
}

Duration time_to_repeat_report(const EndpointState& state, const Peer& to) {
  const std::uint32_t idle =
      std::max(to.report.idle, protocol::reports_before_backoff) - protocol::reports_before_backoff;
  const Duration interval = report_interval(state, to);
  return std::min(interval * (1 << std::min(idle, most_doublings)),
                  std::max(interval, protocol::longest_report_interval));
}

bool report_hardly_tells(const EndpointState& state, const Peer& to, Instant now) {
  return state.reports.expensive() && to.report.arrivals < arrivals_to_tell && !to.inbound.marks.news() &&
         lacks_nothing_sent(to.inbound.messages) && still_sends(to.outbound.messages) &&
         !state.granted_rate(now);
}

Duration time_to_probe(const EndpointState& state, const Peer& to) {
  const Duration plain = probe_timeout(state, to);
  const std::uint32_t probes = to.outbound.probes;
  if (unheard(teller_of(state, to)))
    return std::min(plain * (1 << std::min(probes, most_unheard_doublings)),
                    std::max(longest_unheard_interval, plain));
  Duration timeout = plain;
  for (std::uint32_t i = probes_before_backoff; i < probes && timeout < longest_probe_interval; ++i)
    timeout += timeout / 2;
  if (probes > 0 && unproven(state, to))
    timeout = std::max<Duration>(
        timeout, least_unproven_interval * (1 << std::min(probes - 1, most_unproven_doublings)));
  return std::min(timeout, std::max(longest_probe_interval, plain));
}

int copies_to_probe(const EndpointState& state, const Peer& to) {
  if (to.outbound.probes == 0) return max_copies;
  return unproven(state, to) ? 1 : copies_after_vain_probe;
}

}  // namespace lbsp::transport
