#include "transport/core/liveness.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "transport/core/failure.hpp"

namespace lbsp::transport {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
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
  for (const Rank rank : state_.peers.others()) {
    Peer& other = state_.peers[rank];
    other.path.forget_sent();
    for (Instant* clock : {&other.last_heard, &other.echoed_at, &other.progress_at, &other.acknowledged_at})
      *clock += slept;
    if (other.parting.drained_at != never) other.parting.drained_at += slept;
  }
}

StatusHeader Liveness::statement_to(const Peer& other) const {
  StatusHeader status;
  status.position = state_.legs.position();
  status.begun = state_.legs.active();
  status.moving = recovery_.moving(other);
  status.room = state_.room;
  status.overflowed = static_cast<std::uint32_t>(state_.counters.datagrams_overflowed);
  return status;
}

void Liveness::take_statement(Peer& from, const StatusHeader& status, Instant now) {
  if (!from.awaited) return;
  const MessageId leg = state_.legs.id();
  const bool begun = status.position > leg || (status.position == leg && status.begun);
  if (!begun || recovery_.will_come(status)) from.progress_at = now;
}

void Liveness::set_limits(Peer& other) {
  const Duration patience = state_.config.options.peer_timeout;
  const bool expected = other.awaited || (!farewell_.begun() && !other.left());
  other.timers.set(Timer::silence, expected ? other.last_heard + patience : never);
  other.timers.set(Timer::progress, other.awaited ? other.progress_at + patience : never);
  other.timers.set(Timer::keepalive, other.keepalive_at(patience));
}

AbortNotice Liveness::verdict(const Peer& other, Instant now) const {
  if (now - other.last_heard >= state_.config.options.peer_timeout) return silent(other, now);
  return does_not_deliver(other, now);
}

AbortNotice Liveness::silent(const Peer& other, Instant now) const {
  AbortNotice notice{AbortReason::peer_lost, other.rank, state_.legs.position().superstep, 0, ""};
  notice.silent_milliseconds = milliseconds_of(now - other.last_heard);
  if (other.awaited) {
    notice.text = fmt::format("; of its message to rank {} {} came", state_.config.rank,
                              what_came(other.incoming.find(state_.legs.id())));
  }
  return notice;
}

AbortNotice Liveness::does_not_deliver(const Peer& other, Instant now) const {
  const Duration waited = now - other.progress_at;
  const IncomingMessage* message = other.incoming.find(state_.legs.id());
  AbortNotice notice{AbortReason::no_progress, other.rank, state_.legs.position().superstep,
                     milliseconds_of(waited), ""};
  const std::size_t expected =
      message ? message->segment_bytes() + data_overhead_bytes : state_.config.options.datagram_bytes;
  notice.text =
      fmt::format("of its message to rank {} {} came, nothing new for {:.1f} s: {}", state_.config.rank,
                  what_came(message), seconds(waited), likely_cause(expected, other.largest_arrived));
  return notice;
}

}  // namespace lbsp::transport
