#pragma once

#include <functional>

#include "transport/core/alarm.hpp"
#include "transport/core/peers.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The orderly end of one rank, in which nobody leaves while another still needs its last message. With every
/// peer by itself,
///  - it is drained when the peer has acknowledged all of this rank's messages. A peer that is silent for the
///    silent-peer limit meanwhile has left, since this rank itself has all that it needs;
///  - then this rank says FIN: it needs nothing of the peer, and knows that the peer needs nothing of it.
///    FIN is answered with FIN, also by a rank whose program has not come to its end. Each tells whether the
///    other's has been heard;
///  - it is over when the peer has said FIN, and either has heard this rank's or has been told often enough.
///    A peer that says nothing more for a while has left: it can do without an answer, and waits no longer
///    than the silent-peer limit for it.
class Farewell {
 public:
  /// `say_fin(rank)` is to send FIN now.
  Farewell(Peers& peers, Alarm& alarm, Duration peer_timeout, std::function<void(Rank)> say_fin);

  /// All legs are complete.
  void begin(Instant now);
  /// Something changed between this rank and the peer, or Timer::farewell has struck.
  void update(Rank rank, Instant now);
  /// FIN came from a peer, which has (`confirmed`) or has not heard this rank's.
  void heard(Rank from, bool confirmed, Instant now);
  /// A datagram other than FIN came from a peer, which therefore still waits for something.
  void asked(Rank from, Instant now);

  bool begun() const { return begun_; }
  bool done() const { return begun_ && open_ == 0; }

 private:
  bool drained(Rank rank, Instant now);
  void say(Rank rank, Instant now);
  void end(Rank rank);
  Duration patience(const Peer& other) const;

  Peers& peers_;
  Alarm& alarm_;
  Duration peer_timeout_;
  std::function<void(Rank)> say_fin_;
  bool begun_ = false;
  Rank open_ = 0;  ///< partings that are not over
};

}  // namespace lbsp::transport
