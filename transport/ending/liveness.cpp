#include "transport/ending/liveness.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

#include "transport/ending/failure.hpp"
#include "transport/host_refusal.hpp"
#include "transport/peers/calling.hpp"
#include "transport/quantity.hpp"

namespace lbsp::transport {
namespace {

/// So many times the limit of silence, an agreement on who goes on has had its time.
constexpr int outlived_delivery = 3;
/// Of the limit of silence: what one datagram may take at a rate that lets a superstep get on.
constexpr double part_of_patience = 0.25;
/// The same of one to each of the others, who get theirs one after the other.
constexpr double part_of_patience_for_all = 0.5;
constexpr int shown_digits = 3;

/// Of the limit of silence. Whoever lives sends a keepalive eight times in the limit.
Duration nearly(Duration limit) {
  return limit * 3 / 4;
}

std::string what_came(const IncomingMessage* message) {
  if (message == nullptr) return "nothing";
  return fmt::format("{} of {} segments ({} of {} bytes)", message->arrived().count(),
                     message->segment_count(), message->arrived_bytes(), message->total_bytes());
}

/// Whether what is sent waits in a queue. No path is as long, nor a host that is busy.
bool slow(const Peer& other) {
  return other.path.times.measured() && other.path.times.round_trip() >= std::chrono::seconds{1};
}

std::string slow_network(const Peer& other) {
  const auto carried = other.path.rate.carried();
  const std::string rate =
      carried ? fmt::format(", which carries about {:.0f} kbit/s to it", carried->value * 8e-3) : "";
  return fmt::format(
      "answers take {:.1f} s, so more is sent than the network between them carries{}: send less per superstep, or "
      "raise --peer-timeout",
      seconds(other.path.times.round_trip()), rate);
}

}  // namespace

void Liveness::forget_sent(Instant before) {
  for (const Rank rank : state_.peers.others())
    state_.peers[rank].path.times.forget_sent(before);
}

/// It cannot have come before that sleep, whatever a clock says that somebody may have set.
void Liveness::note_own_sleep(Arrival& arrival) {
  const Instant came = std::max(arrival.at - arrival.waited, quiet_.from);
  if (came >= quiet_.to) return;
  arrival.slept = arrival.at - came;
  forget_sent(quiet_.to);
}

void Liveness::forgive(Duration slept, Instant now) {
  forget_sent(now);
  for (const Rank rank : state_.peers.others()) {
    Peer& other = state_.peers[rank];
    for (Instant* clock : {&other.inbound.last_heard, &other.echoed.at, &other.wait.progress_at,
                           &other.wait.acknowledged_at, &other.outbound.refused_by_host.since})
      *clock += slept;
    if (other.parting.drained_at != never) other.parting.drained_at += slept;
  }
}

void Liveness::count_unanswered(Instant now) {
  const Duration patience = state_.config.options.peer_timeout;
  counted_ = now;
  state_.unanswered = static_cast<Rank>(std::ranges::count_if(
      state_.peers.others(), [&](Rank rank) { return state_.peers[rank].unanswered(patience, now); }));
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
  if (!from.wait.awaited) return;
  const MessageId leg = state_.legs.id();
  const bool begun = status.position > leg || (status.position == leg && status.begun);
  if (!begun || recovery_.will_come(status)) from.wait.progress_at = now;
}

void Liveness::set_limits(Peer& other) {
  const Duration patience = state_.config.options.peer_timeout;
  const bool expected = other.wait.awaited || (!farewell_.begun() && !other.left());
  // Then a LastingEndpoint sees to it that those are given up of which nothing is heard.
  const bool others_look = state_.config.options.outlives_ranks;
  Instant silence = other.inbound.last_heard + patience;
  // Before the peer, which has heard nothing meanwhile and cannot know why, gives this rank up.
  if (const auto& by_host = other.outbound.refused_by_host; by_host.error != 0)
    silence = std::min(silence, by_host.since + nearly(patience));
  other.timers.set(Timer::silence, expected && !others_look ? silence : never);
  // Who is given up for its silence must be so before it is for what it did not deliver.
  const Duration delivery = others_look ? outlived_delivery * patience : patience;
  other.timers.set(Timer::progress, other.wait.awaited ? other.wait.progress_at + delivery : never);
  other.timers.set(Timer::keepalive, keepalive_at(state_, other));
}

AbortNotice Liveness::verdict(const Peer& other, Instant now) const {
  if (const auto& by_host = other.outbound.refused_by_host;
      by_host.error != 0 && now - by_host.since >= nearly(state_.config.options.peer_timeout))
    return refused(other, now);
  if (const Instant since = cut_off_since(now); since != never) return cut_off(since, now);
  if (now - other.inbound.last_heard >= nearly(state_.config.options.peer_timeout)) return silent(other, now);
  return does_not_deliver(other, now);
}

/// The silence of several, each for most of the limit, has one cause, and that is on this side.
Instant Liveness::cut_off_since(Instant now) const {
  Instant newest{};
  int expected = 0;
  for (const Rank rank : state_.peers.others()) {
    const Peer& other = state_.peers[rank];
    if (other.left()) continue;
    ++expected;
    newest = std::max(newest, other.inbound.last_heard);
  }
  return expected > 1 && now - newest >= nearly(state_.config.options.peer_timeout) ? newest : never;
}

AbortNotice Liveness::cut_off(Instant since, Instant now) const {
  const auto& others = state_.peers.others();
  const bool ever =
      std::ranges::any_of(others, [&](Rank rank) { return state_.peers[rank].inbound.numbers.next() > 0; });
  const std::string text =
      ever ? fmt::format(
                 "has heard none of the other {} ranks for {:.1f} s: its own network or host seems to be "
                 "cut off",
                 others.size(), seconds(now - since))
           : fmt::format(
                 "has never heard any of the other {} ranks, in {:.1f} s: a firewall may block its UDP "
                 "port, or its network be cut off, full or slower than that",
                 others.size(), seconds(now - since));
  AbortNotice notice{AbortReason::cut_off, state_.config.rank, state_.legs.position().superstep,
                     milliseconds_of(now - since), text};
  blame_rate(notice, state_.peers[others.front()]);
  return notice;
}

AbortNotice Liveness::refused(const Peer& other, Instant now) const {
  const auto [error, since] = other.outbound.refused_by_host;
  AbortNotice notice{AbortReason::cut_off, state_.config.rank, state_.legs.position().superstep,
                     milliseconds_of(now - other.inbound.last_heard), ""};
  notice.text = fmt::format(
      "has sent nothing to {} for {:.1f} s, as its own host refuses that ({}): look at the {} there",
      name_of(other.rank, state_.config.places), seconds(now - since), std::strerror(error),
      place_of_refusal(error));
  notice.tells_cause = true;
  return notice;
}

AbortNotice Liveness::silent(const Peer& other, Instant now) const {
  AbortNotice notice{AbortReason::peer_lost, other.rank, state_.legs.position().superstep, 0, ""};
  notice.silent_milliseconds = milliseconds_of(now - other.inbound.last_heard);
  // On one host there is no firewall between, and what goes through memory is not heard here.
  if (other.inbound.numbers.next() == 0 && !other.near) {
    notice.reason = AbortReason::never_heard;
    notice.text = name_of(state_.config.rank, state_.config.places);
  } else if (other.wait.awaited) {
    notice.text = fmt::format("; of its message to rank {} {} came", state_.config.rank,
                              what_came(other.inbound.messages.find(state_.legs.id())));
  }
  blame_rate(notice, other);
  return notice;
}

AbortNotice Liveness::nothing_arrives(const Peer& other, Instant now) const {
  if (other.outbound.refused_by_host.error != 0) return refused(other, now);
  const CircuitBreaker::Stretch& stretch = other.path.breaker.stretch();
  const std::string text = fmt::format(
      "only {} of {} datagrams from rank {} arrived in {:.1f} s, at {} a second in the end: the network between them "
      "is overloaded or broken, look for what else uses it and for a limit on UDP",
      stretch.arrived, stretch.sent, state_.config.rank, seconds(stretch.time),
      CircuitBreaker::slowest_per_second);
  return {AbortReason::no_progress, other.rank, state_.legs.position().superstep,
          milliseconds_of(stretch.time), text};
}

/// If it is so low that this may be the cause.
void Liveness::blame_rate(AbortNotice& notice, const Peer& other) const {
  const std::string rate = slow_rate(other);
  if (rate.empty()) return;
  notice.text += "; " + rate;
  notice.tells_cause = true;
}

std::string Liveness::slow_rate(const Peer& other) const {
  const BytesPerSecond rate = other.near ? near_rate(state_.config) : own_rate(state_.config);
  const std::size_t bytes = other.path.sizes.in_use();
  const double taken = static_cast<double>(bytes) / rate.value;
  const double patience = seconds(state_.config.options.peer_timeout);
  const Rank others = other.near ? 1 : std::max(state_.peers.far(), Rank{1});
  if (taken >= part_of_patience * patience)
    return fmt::format(
        "at {} a datagram of {} bytes takes {:.0f} s: give a higher --rate, or raise --peer-timeout",
        format_rate(rate, shown_digits), bytes, taken);
  if (others * taken < part_of_patience_for_all * patience) return {};
  return fmt::format(
      "at {} a datagram of {} bytes to each of {} ranks takes {:.0f} s: give a higher --rate, or raise --peer-timeout",
      format_rate(rate, shown_digits), bytes, others, others * taken);
}

AbortNotice Liveness::does_not_deliver(const Peer& other, Instant now) const {
  const Duration waited = now - other.wait.progress_at;
  const IncomingMessage* message = other.inbound.messages.find(state_.legs.id());
  AbortNotice notice{AbortReason::no_progress, other.rank, state_.legs.position().superstep,
                     milliseconds_of(waited), ""};
  const std::size_t sent = std::min(other.outbound.longest, other.path.sizes.in_use());
  const std::size_t longest =
      message ? message->segment_bytes() + data_overhead(message->total_bytes(), other.path.in_rounds) : sent;
  std::string cause = slow_rate(other);
  if (cause.empty())
    cause = slow(other) ? slow_network(other)
                        : likely_cause(longest, std::max(other.inbound.largest, other.echoed.largest));
  notice.text = fmt::format("of its message to rank {} {} came, nothing new for {:.1f} s: {}",
                            state_.config.rank, what_came(message), seconds(waited), cause);
  return notice;
}

}  // namespace lbsp::transport
