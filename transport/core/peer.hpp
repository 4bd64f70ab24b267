#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/core/endpoint_config.hpp"
#include "transport/core/incoming_message.hpp"
#include "transport/core/loss_estimate.hpp"
#include "transport/core/narrow_path.hpp"
#include "transport/core/open_messages.hpp"
#include "transport/core/outgoing_message.hpp"
#include "transport/core/parting.hpp"
#include "transport/core/path_estimate.hpp"
#include "transport/core/rate_control.hpp"
#include "transport/core/receive_room.hpp"
#include "transport/core/send_queue.hpp"
#include "transport/core/timers.hpp"
#include "transport/wire/replay_window.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {

/// Where a report that did not fit one datagram goes on.
struct ReportCursor {
  bool more = false;
  MessageId message{};
  std::uint32_t segment = 0;
};

/// What an endpoint knows of one other rank.
struct Peer {
  Peer(const EndpointConfig& config, Rank other, Instant now);

  /// The bytes in one segment of a message that is cut for it.
  std::size_t segment_bytes() const { return datagram_bytes - data_overhead_bytes; }
  /// Datagrams to it may not be longer than this from here on.
  void limit_datagrams(std::size_t bytes);
  /// What is known of the path to it, for a plan.
  PathForecast forecast() const;
  /// What this rank tells it of the datagrams that came from it.
  Echo echo(Instant now) const;
  /// When to say something that arrives even where large datagrams do not: more often while nothing seems to
  /// arrive. On a path that loses datagrams in bursts, a burst that takes all of a second's data takes ten seconds'
  /// keepalives.
  Instant keepalive_at(Duration peer_timeout) const;

  const Rank rank;
  DirectionKey sealing;
  DirectionKey opening;
  ReplayWindow arrived;
  LossEstimate arrival_loss;  ///< of what comes from it
  LossReport reported_loss;   ///< of what goes to it, as it says
  PathForecast prior = default_prior();
  PathEstimate path;
  TrainMark train_mark;

  std::size_t datagram_bytes;  ///< the longest datagram that may be sent to it
  NarrowPath narrow;
  std::size_t largest_echoed = 0;  ///< the longest datagram that is known to have arrived there, bytes
  std::optional<PathEstimate::Sent> newest_echoed;  ///< the newest datagram that is known to have arrived

  std::uint64_t next_packet = 0;
  Instant echoed_at;                 ///< when anything of ours was last found to have arrived
  std::uint64_t echoed_packets = 0;  ///< 1 + the newest of our packet numbers that the peer has seen
  FlightLimit flight;                ///< of what this rank sends to it
  Instant last_heard;                ///< the last authentic datagram
  Instant last_small_sent;           ///< the last datagram that passes where large ones do not
  std::size_t largest_arrived = 0;   ///< the longest datagram that has come from it, bytes
  Instant newest_arrival{};          ///< when the largest packet number arrived, for the echo

  OpenMessages<OutgoingMessage> outgoing;
  OpenMessages<IncomingMessage> incoming;
  std::vector<PassJob> held_back;  ///< passes that wait until less is in flight

  TimerTable timers;
  MessageId newest_complete{};  ///< what Timer::acknowledge is about
  Instant last_report{};
  std::uint32_t arrivals_since_report = 0;
  std::uint32_t idle_reports = 0;  ///< reports since a segment arrived that was missing
  bool report_queued = false;
  ReportCursor report_cursor;
  bool awaited = false;  ///< the current leg waits for its message

  // From when waits are counted (liveness.hpp).
  Instant progress_at;  ///< when the awaited message got on, or its sender had a reason not to send it yet
  Instant acknowledged_at;  ///< round recovery: when the peer acknowledged something, or the leg began

  std::uint32_t probes = 0;  ///< since anything was acknowledged

  bool finished = false;  ///< it has said FIN: it needs nothing more
  Parting parting;

  /// Nothing is expected of it any more, and nothing need be said to it.
  bool left() const { return finished && !awaited; }

  /// Timers that do not count at the moment. A report that is queued tells all that another would, however long it
  /// has to wait.
  TimerSet idle_timers() const {
    if (left()) return {Timer::probe, Timer::report, Timer::acknowledge, Timer::keepalive};
    if (report_queued) return {Timer::report, Timer::acknowledge, Timer::keepalive};
    if (parting.said > 0) return {Timer::acknowledge};  // FIN says so
    return {};
  }
};

}  // namespace lbsp::transport
