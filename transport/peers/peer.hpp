#pragma once

#include "transport/peers/answer_hold.hpp"
#include "transport/peers/endpoint_config.hpp"
#include "transport/peers/inbound.hpp"
#include "transport/peers/outbound.hpp"
#include "transport/peers/parting.hpp"
#include "transport/peers/peer_path.hpp"
#include "transport/peers/timers.hpp"

namespace lbsp::transport {

/// What this rank waits for from one peer, and from when the wait is counted (liveness.hpp).
struct Wait {
  bool awaited = false;     ///< the current leg waits for the peer's message
  Instant progress_at;      ///< when that message got on, or its sender had a reason not to send it yet
  Instant acknowledged_at;  ///< when the leg began; with round recovery, when the peer acknowledged something
};

/// What an endpoint knows of one other rank.
struct Peer {
  Peer(const EndpointConfig& config, Rank other, Instant now);

  /// What is known of the path to it, for a plan.
  KnownLoss known_loss() const;
  PathForecast forecast() const;
  /// When to say something that arrives even where large datagrams do not: more often while nothing seems to
  /// arrive. On a path that loses datagrams in bursts, a burst that takes all of a second's data takes ten seconds'
  /// keepalives. Where nothing seems to arrive at so many peers (`unanswered`), they all say so more rarely: together
  /// these must not fill a slow link, as what they fill is what they wait for.
  Instant keepalive_at(Duration peer_timeout, Rank unanswered) const;
  /// Nothing seems to have arrived there for a while.
  bool unanswered(Duration peer_timeout, Instant now) const;
  /// How late its datagrams may be that others have overtaken; 0 if none was lately.
  Duration reordering(Instant now) {
    return inbound.order.window(path.times.round_trip(), path.times.reordering_window(), now);
  }
  /// Nothing is expected of it any more, and nothing need be said to it.
  bool left() const { return parting.finished && !wait.awaited; }
  /// It has all that this rank has sent it, and needs nothing of what is still to be sent.
  void forget_what_it_needs() {
    outbound.messages.remove_if([](const OutgoingMessage&) { return true; });
    outbound.held_back.clear();
  }
  /// Timers that do not count at the moment. A report that is queued tells all that another would, however long it
  /// has to wait.
  TimerSet idle_timers() const {
    if (left()) return {Timer::probe, Timer::report, Timer::acknowledge, Timer::size, Timer::keepalive};
    if (report.queued) return {Timer::report, Timer::acknowledge, Timer::keepalive};
    if (parting.said > 0) return {Timer::acknowledge};  // FIN says so
    return {};
  }

  const Rank rank;
  const bool near;  ///< on the same host
  PeerPath path;
  Outbound outbound;
  Echoed echoed;
  AnswerHold answers = {};
  Inbound inbound;
  ReportState report;
  Wait wait;
  Parting parting;
  TimerTable timers;

 private:
  void take_known(const EndpointConfig& config, Instant now);
};

}  // namespace lbsp::transport
