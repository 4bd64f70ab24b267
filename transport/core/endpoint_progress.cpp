#include <algorithm>
#include <fmt/format.h>

#include "transport/core/datagram_sizes.hpp"
#include "transport/core/endpoint.hpp"

/// Every wait has an end: what this rank waits for, when it last got on, and what to say when it does not.
namespace lbsp::transport {
namespace {

/// A round of the paper's schemes brings nothing if its one segment or the acknowledgement is lost.
constexpr int rounds_without_progress = 10;

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::uint32_t milliseconds(Duration duration) {
  const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX));
}

}  // namespace

/// A first transmission went out, or a peer has something that it had not. Both end with the superstep's
/// data, so nobody can say for ever that it gets on.
void Endpoint::note_moved(Instant now) {
  last_moved_ = now;
}

StatusHeader Endpoint::own_status(const Peer& other, Instant now) const {
  StatusHeader status{echo_to(other, now), position_};
  status.begun = leg_.active;
  // A round may be longer than any patience; it is the sender who gives up (limit_of_acknowledgement). A
  // sender to whom all is acknowledged has nothing more to come with.
  status.moving = receiver_driven() ? last_moved_ >= other.last_report : awaits_acknowledgement(other);
  status.room = room_;
  status.overflowed = static_cast<std::uint32_t>(counters_.datagrams_overflowed);
  return status;
}

/// A peer that has not begun the leg may compute for as long as it likes. One that has begun, and gets on
/// with others, will come to this rank's message.
void Endpoint::take_statement(Peer& other, const StatusHeader& status, Instant now) {
  if (!other.awaited) return;
  const bool beyond = status.position > leg_.id;
  const bool begun = beyond || (status.position == leg_.id && status.begun);
  // In rounds, a peer that is beyond the leg takes its message as acknowledged, and sends no more of it.
  const bool will_come = status.moving && (receiver_driven() || !beyond);
  if (!begun || will_come) other.progress_at = now;
}

Duration Endpoint::limit_of_acknowledgement() const {
  return std::max(config_.options.peer_timeout, rounds_without_progress * round_.length());
}

bool Endpoint::awaits_acknowledgement(const Peer& other) const {
  return !receiver_driven() && leg_.active &&
         !std::all_of(other.outgoing.begin(), other.outgoing.end(),
                      [](const OutgoingMessage& message) { return message.acknowledged(); });
}

/// When the wait for this peer must have got on.
Instant Endpoint::patience_ends(const Peer& other) const {
  Instant end = never;
  if (!farewell_.begun() && !other.left()) end = other.last_heard + config_.options.peer_timeout;
  if (other.awaited) end = std::min(end, other.progress_at + config_.options.peer_timeout);
  if (awaits_acknowledgement(other)) end = std::min(end, other.acknowledged_at + limit_of_acknowledgement());
  return end;
}

std::string Endpoint::what_came(const IncomingMessage* message) const {
  if (message == nullptr) return "nothing";
  return fmt::format("{} of {} segments ({} of {} bytes)", message->arrived_segments(),
                     message->segment_count(), message->arrived_bytes(), message->total_bytes());
}

std::string Endpoint::likely_cause(std::size_t expected_datagram, std::size_t largest_passed) const {
  if (expected_datagram > common_datagram_bytes && largest_passed <= common_datagram_bytes) {
    return fmt::format("datagrams of {} bytes seem to be too large for the path, try --datagram {}",
                       expected_datagram, common_datagram_bytes);
  }
  return "look for a filter, a full receive buffer or a stopped process on the way";
}

void Endpoint::give_up(Rank rank, Instant now) {
  Peer& other = peer(rank);
  IncomingMessage* message = other.incoming.find(leg_.id);
  AbortNotice notice{AbortReason::peer_lost, rank, position_.superstep, 0, ""};
  if (now - other.last_heard >= config_.options.peer_timeout) {
    notice.silent_milliseconds = milliseconds(now - other.last_heard);
    if (other.awaited)
      notice.text = fmt::format("; of its message to rank {} {} came", config_.rank, what_came(message));
  } else if (other.awaited) {
    notice.reason = AbortReason::no_progress;
    notice.silent_milliseconds = milliseconds(now - other.progress_at);
    const std::size_t expected =
        message ? message->segment_bytes() + data_overhead_bytes : config_.options.datagram_bytes;
    notice.text = fmt::format("of its message to rank {} {} came, nothing new for {:.1f} s: {}", config_.rank,
                              what_came(message), seconds(now - other.progress_at),
                              likely_cause(expected, other.largest_arrived));
  } else {
    notice.reason = AbortReason::no_progress;
    notice.silent_milliseconds = milliseconds(now - other.acknowledged_at);
    const OutgoingMessage& sent =
        *std::find_if(other.outgoing.begin(), other.outgoing.end(),
                      [](const OutgoingMessage& each) { return !each.acknowledged(); });
    const std::uint32_t acknowledged = sent.segment_count() - sent.never_acknowledged();
    notice.text =
        fmt::format("of rank {}'s message to it {} of {} segments are acknowledged, none for {:.1f} s: {}",
                    config_.rank, acknowledged, sent.segment_count(), seconds(now - other.acknowledged_at),
                    cause_of_no_acknowledgement(other, sent));
  }
  fail(notice, now);
}

/// If this process did not run for a while (stopped, or its host suspended), its peers' datagrams may still
/// wait in the socket: the time it slept is not their silence.
void Endpoint::forgive_own_sleep(Instant now) {
  const Duration slept = now - last_call_;
  last_call_ = std::max(last_call_, now);
  if (slept < config_.options.peer_timeout / 2) return;
  for_each_peer([&](Rank rank) {
    Peer& other = peer(rank);
    other.path.forget_sent();
    for (Instant* clock : {&other.last_heard, &other.echoed_at, &other.progress_at, &other.acknowledged_at})
      *clock += slept;
    if (other.parting.drained_at != never) other.parting.drained_at += slept;
  });
}

}  // namespace lbsp::transport
