#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/arrival.hpp"
#include "transport/messages/incoming_message.hpp"
#include "transport/messages/open_messages.hpp"
#include "transport/paths/loss_estimate.hpp"
#include "transport/paths/mark_count.hpp"
#include "transport/paths/newest_in_turn.hpp"
#include "transport/paths/reordering.hpp"
#include "transport/queues/arrival_gauge.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"
#include "transport/wire/replay_window.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {

/// What comes from one peer.
struct Inbound {
  /// Enters an authentic datagram of so many bytes; the path's round trip is known to be this. Returns whether
  /// numbers before it are missing that were no questions (see SIZE).
  bool enter(const ClearHeader& header, std::size_t bytes, Duration round_trip, const Arrival& arrival);
  /// What this rank tells the peer of the datagrams that came from it.
  const Echo& echo(Instant now) {
    // What goes out at once says the same.
    if (now != told_at || told.arrived != static_cast<std::uint32_t>(numbers.distinct() - in_turn.ahead()))
      make_echo(now);
    return told;
  }

  DirectionKey opening;
  Instant last_heard;  ///< the last authentic datagram
  ReplayWindow numbers = {};
  LossEstimate loss = {};
  Reordering order = {};
  NewestInTurn in_turn = {};
  MarkCount marks = {};
  std::uint64_t unanswered = 0;              ///< questions, and what was too long, that have not arrived
  std::uint64_t taken_bytes = 0;             ///< of the last message that the program has taken
  std::size_t largest = 0;                   ///< the longest datagram, bytes
  std::uint16_t segment_bytes = UINT16_MAX;  ///< the shortest cut of the peer's messages
  Instant newest_at = {};                    ///< when the newest was read that echoes tell of (in_turn) …
  Instant newest_arrived_at = {};  ///< … and when it arrived: earlier if it was a question, or …
  Duration newest_slept{0};        ///< … for so long, as this process did not run
  struct Times {
    Instant at{};
    Instant arrived_at{};
    Duration slept{0};
  } largest_number = {};  ///< the same of the largest number
  ArrivalGauge gauge = {};
  LossEstimate loss_before = {};  ///< what it was when the downlink was not flooded

  /// When a datagram arrived that was as long as one with a whole segment.
  struct LongArrival {
    std::size_t bytes =
        0;  ///< of such a datagram: as at first, or the longest since the path became narrower
    LossEstimate loss = {};     ///< then …
    std::uint64_t missing = 0;  ///< … and how many were missing
  } long_arrival = {};
  MessageId newest = {};           ///< of the messages that have begun …
  std::uint64_t newest_bytes = 0;  ///< … and its length
  OpenMessages<IncomingMessage> messages = {};
  Echo told = {};           ///< the last echo …
  Instant told_at = never;  ///< … and when it was told

  /// How many have not arrived, of those before the newest, although they were no questions.
  std::uint64_t missing() const {
    const std::uint64_t all = numbers.next() - numbers.distinct();
    return all - std::min(all, unanswered);  // some may have come late
  }
  /// A whole segment makes a datagram of so many bytes. The path may have become narrower: then what has been lost
  /// since a long one arrived was too long, which says nothing of what else will be lost.
  void cut(std::size_t whole);

  void make_echo(Instant now);
  void tell_of(const Times& datagram);
};

/// Where a report that did not fit one datagram goes on.
struct ReportCursor {
  bool more = false;
  MessageId message{};
  std::uint32_t segment = 0;
};

/// What this rank has told, and has to tell, one peer of its messages.
struct ReportState {
  bool queued = false;
  ReportCursor cursor = {};
  Instant last = {};
  std::uint32_t arrivals = 0;       ///< since the last report
  std::uint32_t idle = 0;           ///< reports since a segment arrived that was missing
  std::uint32_t unheard = 0;        ///< reports while nothing of this rank was known to have arrived
  std::uint32_t calls_in_vain = 0;  ///< late answers since the last that brought or acknowledged anything
  MessageId newest_complete = {};   ///< what Timer::acknowledge is about …
  bool owes_early = false;          ///< … or a message that is early, which data of a leg does not tell of
  std::optional<BytesPerSecond> granted = {};  ///< what the last report said that the peer may send
};

}  // namespace lbsp::transport
