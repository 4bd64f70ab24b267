#pragma once

#include <functional>

#include "transport/peers/alarm.hpp"
#include "transport/peers/peers.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The orderly end of one rank, in which nobody leaves while another still needs its last message. With every
/// peer by itself,
///  - this rank says FIN when all that the peer has sent has arrived, and the peer is sure to await what it has
///    not got of this rank: it is in its last leg too, or has acknowledged everything; or when the peer has
///    said FIN, and thus needs nothing more. FIN acknowledges all of the peer's messages. It is answered with
///    FIN, also by a rank whose program has not come to its end. Each tells whether the other's has been heard;
///  - it is over when the peer has said FIN, and either has heard this rank's or has been told often enough.
///    A peer that says nothing more for a while has left, if it is known to have all that it can need: it
///    waits no longer than the silent-peer limit for an answer. If that is not known, it is waited for as long
///    as that limit.
class Farewell {
 public:
  /// `say_fin(rank)` is to send FIN now.
  Farewell(Peers& peers, Alarm& alarm, Duration peer_timeout, std::function<void(Rank)> say_fin);

  /// All legs are complete.
  void begin(Instant now);
  /// All ranks know the leg that has just begun to be their last.
  void begin_in_last_leg(Instant now);
  /// Something changed between this rank and the peer, or Timer::farewell has struck.
  void update(Rank rank, Instant now) {
    if (begun_) go_on(rank, now);
  }
  /// FIN came from a peer, which has (`confirmed`) or has not heard this rank's.
  void heard(Rank from, bool confirmed, Instant now);
  /// A datagram other than FIN came from a peer, which therefore still waits for something.
  void asked(Rank from, Instant now) {
    if (peers_[from].parting.said > 0) say_again(from, now);
  }

  bool begun() const { return begun_; }
  bool done() const { return begun_ && open_ == 0; }

 private:
  void begin_all(Instant now);
  void go_on(Rank rank, Instant now);
  bool may_say(const Peer& other) const;
  void say_again(Rank rank, Instant now);
  void say(Rank rank, Instant now);
  void end(Rank rank);
  Instant given_up_at(Peer& other, Instant now) const;

  Peers& peers_;
  Alarm& alarm_;
  Duration peer_timeout_;
  std::function<void(Rank)> say_fin_;
  bool begun_ = false;
  bool in_last_leg_ = false;
  Rank open_ = 0;  ///< partings that are not over
};

}  // namespace lbsp::transport
