#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "transport/units.hpp"

namespace lbsp::transport {

/// A time that follows a path's round trip: a part of it, within bounds.
struct PartOfRoundTrip {
  int divisor;
  Duration least;
  Duration most;

  constexpr Duration of(Duration round_trip) const { return std::clamp(round_trip / divisor, least, most); }
};

/// The numbers that decide when the receiver-driven protocol tells of lost segments and sends them again.
/// The endpoint acts on them, and lbsp/plan tells them to the model. docs/protocol.md explains them.
namespace protocol {

using namespace std::chrono_literals;

/// How long a receiver waits for what was overtaken.
inline constexpr PartOfRoundTrip reordering_window{.divisor = 16, .least = 200us, .most = 5ms};
/// Between two reports of a receiver that lacks something.
inline constexpr PartOfRoundTrip report_interval{.divisor = 8, .least = 1ms, .most = 25ms};
/// Before a receiver says that everything has arrived.
inline constexpr PartOfRoundTrip acknowledgement_delay{.divisor = 8, .least = 1ms, .most = 5ms};
/// Between two copies, or two repairs, of a segment.
inline constexpr PartOfRoundTrip copy_spacing{.divisor = 16, .least = 0ns, .most = 2ms};
/// A datagram without an echo is lost after a round trip, an eighth of it, and this (RFC 9002, section 6.1.2).
inline constexpr int loss_delay_divisor = 8;
inline constexpr Duration loss_delay_slack = 200us;
/// Ordinary kernels' timers and schedulers are late by this much; a probe sooner would be for nothing.
inline constexpr Duration timer_granularity = 2ms;
/// A receiver that lacks something also reports after so many datagrams at the latest, or half the room that the
/// sender has been told, so that a fast sender's window stays open.
inline constexpr std::uint32_t datagrams_per_report = 64;
/// After this many reports without an arrival, the time between reports doubles with each.
inline constexpr std::uint32_t reports_before_backoff = 8;
/// … up to this.
inline constexpr Duration longest_report_interval = 250ms;
/// A datagram is lost when one was echoed that was sent so many later (kPacketThreshold of RFC 9002, section
/// 6.1.1).
inline constexpr std::uint64_t packet_threshold = 3;
/// A receiver reports a gap just when its own reordering window is over. The sender's window may be a little
/// longer, and the hold is told in whole microseconds: both must not put off the repair to the next report. A
/// hold that lacks this part of the window counts as over.
inline constexpr int hold_slack_divisor = 8;
/// More lost segments than this in one report are a burst or a full queue, which copies would make worse: each
/// goes out once.
inline constexpr std::size_t few_repairs = 32;
/// A report has told of what went out so many round trips ago, with some time to spare.
inline constexpr double heard_round_trips = 1.2;
/// No report can have told yet of what was sent less than so many round trips ago: that gets spare coded segments …
inline constexpr double unheard_round_trips = 1.5;
/// … for this long, counted from the last first transmission.
inline constexpr double spare_round_trips = 0.5;
/// Of the coded segments that a block has without spare ones, a message that goes one way only gets this part.
inline constexpr double one_way_spares = 0.8;
/// What may go at once after idle time: the bytes of this time at the rate, and at least so many datagrams, …
inline constexpr Duration idle_burst = 500us;
inline constexpr std::size_t least_burst_datagrams = 4;
/// … but no more than the bytes of this time. At a low rate more would only wait in the link's queue, where copies can
/// no longer be called off and nothing overtakes them.
inline constexpr Duration longest_burst = 10ms;
/// How long a rank that has to find its rate waits for the first answers before its program begins: longer than nearly
/// all round trips.
inline constexpr Duration longest_wait_for_answers = 500ms;
/// But so long after any such question or answer has come to its host: where the next one takes no longer, more are
/// under way.
inline constexpr Duration longest_until_next_answer = 200ms;

}  // namespace protocol
}  // namespace lbsp::transport
