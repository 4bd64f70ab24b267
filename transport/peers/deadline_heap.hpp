#pragma once

#include <algorithm>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// The peers in the order of their deadlines. schedule() moves a peer's deadline only to an earlier time. When a
/// deadline has become later, the owner schedules the new one after the old one has come: so putting off a timeout,
/// which every datagram does, costs nothing.
class DeadlineHeap {
 public:
  explicit DeadlineHeap(Rank peers) : scheduled_(static_cast<std::size_t>(peers), never) {}

  void schedule(Rank peer, Instant at) {
    Instant& known = scheduled_[static_cast<std::size_t>(peer)];
    if (at >= known) return;
    known = at;
    heap_.emplace(at, peer);
  }

  /// Nobody has a deadline any more.
  void clear() {
    heap_ = {};
    std::ranges::fill(scheduled_, never);
  }

  /// `never` if it has none.
  Instant of(Rank peer) const { return scheduled_[static_cast<std::size_t>(peer)]; }
  Instant next() const { return heap_.empty() ? never : heap_.top().first; }

  /// A peer whose deadline has come; it has none until it is scheduled again.
  std::optional<Rank> pop_due(Instant now) {
    if (heap_.empty() || heap_.top().first > now) return std::nullopt;
    const Rank peer = heap_.top().second;
    scheduled_[static_cast<std::size_t>(peer)] = never;
    drop_replaced();
    return peer;
  }

 private:
  using Entry = std::pair<Instant, Rank>;

  /// Entries that an earlier one of the same peer has replaced come to the top only when that one is popped.
  void drop_replaced() {
    while (!heap_.empty() && heap_.top().first != scheduled_[static_cast<std::size_t>(heap_.top().second)])
      heap_.pop();
  }

  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
  std::vector<Instant> scheduled_;
};

}  // namespace lbsp::transport
