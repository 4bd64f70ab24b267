#include "transport/core/liveness.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "transport/core/likely_cause.hpp"

namespace lbsp::transport {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::uint32_t milliseconds(Duration duration) {
  const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX));
}

std::string what_came(const IncomingMessage* message) {
  if (message == nullptr) return "nothing";
  return fmt::format("{} of {} segments ({} of {} bytes)", message->arrived_segments(),
                     message->segment_count(), message->arrived_bytes(), message->total_bytes());
}

}  // namespace

void Liveness::forgive_own_sleep(Instant now) {
  const Duration slept = now - last_call_;
  last_call_ = std::max(last_call_, now);
  if (slept < state_.config.options.peer_timeout / 2) return;
  state_.peers.for_each([&](Rank rank) {
    Peer& other = state_.peers[rank];
    other.path.forget_sent();
    for (Instant* clock : {&other.last_heard, &other.echoed_at, &other.progress_at, &other.acknowledged_at})
      *clock += slept;
    if (other.parting.drained_at != never) other.parting.drained_at += slept;
  });
}

StatusHeader Liveness::statement_to(const Peer& other) const {
  StatusHeader status;
  status.position = state_.position;
  status.begun = state_.leg.active;
  status.moving = recovery_.moving(other);
  status.room = state_.room;
  status.overflowed = static_cast<std::uint32_t>(state_.counters.datagrams_overflowed);
  return status;
}

void Liveness::take_statement(Rank from, const StatusHeader& status, Instant now) {
  Peer& other = state_.peers[from];
  if (!other.awaited) return;
  const MessageId leg = state_.leg.id;
  const bool begun = status.position > leg || (status.position == leg && status.begun);
  if (!begun || recovery_.will_come(status)) other.progress_at = now;
}

void Liveness::set_limits(Rank rank) {
  Peer& other = state_.peers[rank];
  const Duration patience = state_.config.options.peer_timeout;
  const bool expected = !farewell_.begun() && !other.left();
  other.timers.set(Timer::silence, expected ? other.last_heard + patience : never);
  other.timers.set(Timer::progress, other.awaited ? other.progress_at + patience : never);
  other.timers.set(Timer::acknowledgement, recovery_.acknowledgement_due(other));
  other.timers.set(Timer::keepalive, keepalive_at(other));
}

AbortNotice Liveness::verdict(Rank rank, Instant now) const {
  const Peer& other = state_.peers[rank];
  if (now - other.last_heard >= state_.config.options.peer_timeout) return silent(rank, now);
  return other.awaited ? does_not_deliver(rank, now) : does_not_acknowledge(rank, now);
}

AbortNotice Liveness::silent(Rank rank, Instant now) const {
  Peer& other = state_.peers[rank];
  AbortNotice notice{AbortReason::peer_lost, rank, state_.position.superstep, 0, ""};
  notice.silent_milliseconds = milliseconds(now - other.last_heard);
  if (other.awaited) {
    notice.text = fmt::format("; of its message to rank {} {} came", state_.config.rank,
                              what_came(other.incoming.find(state_.leg.id)));
  }
  return notice;
}

AbortNotice Liveness::does_not_deliver(Rank rank, Instant now) const {
  Peer& other = state_.peers[rank];
  const Duration waited = now - other.progress_at;
  const IncomingMessage* message = other.incoming.find(state_.leg.id);
  AbortNotice notice{AbortReason::no_progress, rank, state_.position.superstep, milliseconds(waited), ""};
  const std::size_t expected =
      message ? message->segment_bytes() + data_overhead_bytes : state_.config.options.datagram_bytes;
  notice.text =
      fmt::format("of its message to rank {} {} came, nothing new for {:.1f} s: {}", state_.config.rank,
                  what_came(message), seconds(waited), likely_cause(expected, other.largest_arrived));
  return notice;
}

AbortNotice Liveness::does_not_acknowledge(Rank rank, Instant now) const {
  const Peer& other = state_.peers[rank];
  const Duration waited = now - other.acknowledged_at;
  AbortNotice notice{AbortReason::no_progress, rank, state_.position.superstep, milliseconds(waited), ""};
  const OutgoingMessage& sent =
      *std::ranges::find_if(other.outgoing, [](const OutgoingMessage& each) { return !each.acknowledged(); });
  const std::uint32_t acknowledged = sent.segment_count() - sent.never_acknowledged();
  notice.text =
      fmt::format("of rank {}'s message to it {} of {} segments are acknowledged, none for {:.1f} s: {}",
                  state_.config.rank, acknowledged, sent.segment_count(), seconds(waited),
                  recovery_.why_unacknowledged(other, sent));
  return notice;
}

Instant Liveness::keepalive_at(const Peer& other) const {
  const Duration interval =
      std::min<Duration>(std::chrono::seconds{1}, state_.config.options.peer_timeout / 8);
  const Instant doubtful = other.echoed_at + 3 * interval;
  return std::min(other.last_small_sent + interval, std::max(other.last_small_sent + interval / 8, doubtful));
}

}  // namespace lbsp::transport
