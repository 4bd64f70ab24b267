#pragma once

#include <algorithm>

#include "transport/peers/deadline_heap.hpp"
#include "transport/peers/peers.hpp"
#include "transport/peers/timers.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The timers of all peers, and of the round: the one place where they are set, and the one where they strike.
class Alarm {
 public:
  explicit Alarm(Peers& peers) : peers_(peers), deadlines_(peers.size()) {}

  void set(Rank rank, Timer timer, Instant at) {
    peers_[rank].timers.set(timer, at);
    if (at < deadlines_.of(rank)) reschedule(rank);
  }
  /// The timer strikes at `to` at the latest.
  void bring_forward(Rank rank, Timer timer, Instant to) {
    peers_[rank].timers.bring_forward(timer, to);
    if (to < deadlines_.of(rank)) reschedule(rank);
  }
  void clear(Rank rank, Timer timer) { peers_[rank].timers.clear(timer); }
  /// Timer::round, which is of no single peer.
  void set_round(Instant at) { round_at_ = at; }
  /// To be called after a change in the peer's table, or when timers count again (Peer::idle_timers).
  void reschedule(Rank rank) {
    const Peer& other = peers_[rank];
    const Instant first = other.timers.first(other.idle_timers());
    if (first != never && !stopped_) deadlines_.schedule(rank, first);
  }

  /// No timer strikes any more.
  void stop() {
    stopped_ = true;
    round_at_ = never;
    deadlines_.clear();
  }

  /// When strike() must be called. It may be too early, because putting off a timer leaves its old time here.
  Instant next() const { return std::min(deadlines_.next(), round_at_); }

  /// Clears every timer whose time has come and that counts, and calls on_strike(rank, timer) for it. Timer::round
  /// strikes with this rank's own number.
  /// Before, refresh(rank) may put off timers in the peer's table.
  template <class Refresh, class OnStrike>
  void strike(Instant now, Refresh refresh, OnStrike on_strike) {
    while (const auto rank = deadlines_.pop_due(now)) {
      refresh(*rank);
      Peer& other = peers_[*rank];
      for (const Timer timer : all_timers) {
        if (stopped_ || other.timers.at(timer) > now || other.idle_timers().has(timer)) continue;
        other.timers.clear(timer);
        on_strike(*rank, timer);
      }
      reschedule(*rank);
    }
    if (round_at_ > now) return;
    round_at_ = never;
    on_strike(peers_.self(), Timer::round);
  }

 private:
  Peers& peers_;
  DeadlineHeap deadlines_;
  Instant round_at_ = never;
  bool stopped_ = false;
};

}  // namespace lbsp::transport
