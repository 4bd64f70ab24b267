#include "transport/core/endpoint.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// How often a probe goes out at its plain timeout before the time between probes grows.
constexpr std::uint32_t probes_before_backoff = 3;
constexpr Duration longest_probe_interval = 1s;
/// An ABORT is not acknowledged, so it is said three times, spread over a burst of losses.
constexpr Duration abort_repeats[] = {0ms, 5ms, 20ms};

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Endpoint::Endpoint(EndpointConfig config, Instant now)
    : config_(std::move(config)),
      job_tag_(config_.key.tag()),
      segment_bytes_(config_.options.datagram_bytes - data_overhead_bytes),
      pacer_(config_.options.rate, config_.options.datagram_bytes, now),
      deadlines_(config_.size),
      last_call_(now) {
  validate(config_.options);
  if (config_.size < 1 || config_.size > max_ranks || config_.rank < 0 || config_.rank >= config_.size) {
    throw UsageError(
        fmt::format("rank {} of {} ranks: choose 1 to {} ranks", config_.rank, config_.size, max_ranks));
  }
  peers_.resize(static_cast<std::size_t>(config_.size));
  for_each_peer([&](Rank other) {
    peers_[static_cast<std::size_t>(other)] =
        std::make_unique<Peer>(config_.key, config_.rank, other, config_.cipher, now);
    schedule(other);
  });
}

std::string Endpoint::name(Rank rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= config_.addresses.size()) return fmt::format("rank {}", rank);
  return fmt::format("rank {} at {}", rank, config_.addresses[index]);
}

void Endpoint::begin_exchange(std::vector<Bytes> outgoing, Instant now) {
  leg_.destinations.clear();
  for_each_peer([&](Rank other) { leg_.destinations.push_back(other); });
  leg_.sources = leg_.destinations;
  begin_leg({next_superstep_, Leg::messages}, std::move(outgoing), now);
  ++next_superstep_;
}

void Endpoint::begin_reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources, Instant now) {
  leg_.destinations = destinations;
  leg_.sources = sources;
  begin_leg({next_superstep_ - 1, Leg::replies}, std::move(outgoing), now);
}

void Endpoint::check_size(Rank to, const Bytes& message) const {
  const bool too_many_segments = segments_of(message.size(), segment_bytes_) > UINT32_MAX;
  if (message.size() <= config_.options.max_message_bytes && !too_many_segments) return;
  throw MessageTooLarge(
      fmt::format("rank {} sends {} bytes to rank {} in superstep {}, the ceiling is {}: send less per "
                  "superstep, or raise --max-message",
                  config_.rank, message.size(), to, next_superstep_, config_.options.max_message_bytes));
}

void Endpoint::begin_leg(MessageId id, std::vector<Bytes> outgoing, Instant now) {
  for (const Rank to : leg_.destinations)
    check_size(to, outgoing[static_cast<std::size_t>(to)]);
  last_call_ = now;
  position_ = leg_.id = id;
  leg_.active = true;
  leg_.awaited = 0;
  for (const Rank from : leg_.sources) {
    Peer& other = peer(from);
    other.incoming.remove_if(
        [&](const IncomingMessage& old) { return old.id().superstep + 2 <= id.superstep; });
    const IncomingMessage* early = other.incoming.find(id);
    other.awaited = early == nullptr || !early->complete();
    if (other.awaited) ++leg_.awaited;
  }
  for (const Rank to : leg_.destinations) {
    Bytes& payload = outgoing[static_cast<std::size_t>(to)];
    counters_.payload_bytes_sent += payload.size();
    peer(to).outgoing.add(OutgoingMessage(id, std::move(payload), segment_bytes_));
    queue_.passes.push(PassJob{to, id, 0, 0});
  }
  if (receiver_driven()) {
    if (leg_.awaited == 0) complete_leg();
  } else if (leg_.destinations.empty() && leg_.awaited == 0) {
    complete_leg();
  } else {
    start_round_clock(now);
  }
}

void Endpoint::start_round_clock(Instant now) {
  std::uint64_t segments = 0;  // h
  Duration round_trip{0};      // β
  for (const Rank to : leg_.destinations) {
    segments += peer(to).outgoing.find(leg_.id)->segment_count();
    round_trip = std::max(round_trip, peer(to).path.round_trip());
  }
  for (const Rank from : leg_.sources)
    round_trip = std::max(round_trip, peer(from).path.round_trip());
  const double bytes = static_cast<double>(segments) * static_cast<double>(config_.options.datagram_bytes);
  const Duration serialisation = config_.options.rate.time_for(config_.options.copies * bytes);  // k·h·α
  ++counters_.rounds;
  round_.start(2 * (serialisation + round_trip), now);
}

void Endpoint::handle_round_end(Instant now) {
  if (all_acknowledged() && leg_.awaited == 0) {
    round_.stop();
    complete_leg();
    return;
  }
  round_.advance(now);
  ++counters_.rounds;
  if (!all_acknowledged()) begin_round(config_.options.recovery == Recovery::whole_round);
}

void Endpoint::begin_round(bool everything) {
  for (const Rank to : leg_.destinations) {
    OutgoingMessage* message = peer(to).outgoing.find(leg_.id);
    if (message == nullptr || (!everything && message->acknowledged())) continue;
    message->begin_round(everything);
    queue_.passes.push(PassJob{to, leg_.id, 0, 0});
  }
}

bool Endpoint::all_acknowledged() const {
  return std::all_of(leg_.destinations.begin(), leg_.destinations.end(), [&](Rank to) {
    const auto& outgoing = peer(to).outgoing;
    return std::all_of(outgoing.begin(), outgoing.end(),
                       [](const OutgoingMessage& message) { return message.acknowledged(); });
  });
}

void Endpoint::complete_leg() {
  leg_.active = false;
  position_ = leg_.id.leg == Leg::messages ? MessageId{leg_.id.superstep, Leg::replies}
                                           : MessageId{leg_.id.superstep + 1, Leg::messages};
  if (receiver_driven()) return;
  for (const Rank to : leg_.destinations) {
    peer(to).outgoing.remove_if([](const OutgoingMessage& message) { return message.acknowledged(); });
  }
}

std::vector<Bytes> Endpoint::take_messages() {
  std::vector<Bytes> messages(peers_.size());
  for (const Rank from : leg_.sources) {
    IncomingMessage* message = peer(from).incoming.find(leg_.id);
    Bytes& taken = messages[static_cast<std::size_t>(from)];
    taken = message->take_payload();
    counters_.payload_bytes_received += taken.size();
    // Round recovery must still acknowledge this message, round by round, until its sender has heard it.
    if (receiver_driven()) {
      peer(from).incoming.remove_if([&](const IncomingMessage& old) { return old.id() == leg_.id; });
    }
  }
  return messages;
}

Duration Endpoint::keepalive_interval() const {
  return std::min<Duration>(1s, config_.options.peer_timeout / 8);
}

/// A peer that said nothing for this long while this rank only waits to leave has left itself.
Duration Endpoint::silence_limit() const {
  return std::min(std::max<Duration>(1s, 10 * longest_probe_timeout()), config_.options.peer_timeout);
}

Duration Endpoint::longest_probe_timeout() const {
  Duration longest{0};
  for (const auto& other : peers_) {
    if (other) longest = std::max(longest, other->path.probe_timeout());
  }
  return longest;
}

Instant Endpoint::deadline_of(const Peer& other) const {
  if (failure_ || other.finished) return never;
  Instant deadline = std::min({other.report_at, other.acknowledge_at, other.probe_at});
  if (!other.report_queued) deadline = std::min(deadline, other.last_sent + keepalive_interval());
  if (finish_ == Finish::no) deadline = std::min(deadline, other.last_heard + config_.options.peer_timeout);
  return deadline;
}

void Endpoint::schedule(Rank rank) {
  const Instant deadline = deadline_of(peer(rank));
  if (deadline != never) deadlines_.schedule(rank, deadline);
}

void Endpoint::handle_timeout(Instant now) {
  forgive_own_sleep(now);
  while (const auto rank = deadlines_.pop_due(now))
    handle_peer_deadline(*rank, now);
  if (failure_) return;
  if (round_.deadline() <= now) handle_round_end(now);
  if (finish_deadline_ <= now) update_finish(now);
}

void Endpoint::handle_peer_deadline(Rank rank, Instant now) {
  Peer& other = peer(rank);
  if (failure_ || other.finished) return;
  if (finish_ == Finish::no && now - other.last_heard >= config_.options.peer_timeout) {
    const auto silent = std::chrono::duration_cast<std::chrono::milliseconds>(now - other.last_heard);
    const AbortNotice notice{AbortReason::peer_lost, rank, position_.superstep,
                             static_cast<std::uint32_t>(std::min<std::int64_t>(silent.count(), UINT32_MAX)),
                             ""};
    fail(Failure::Kind::peer_lost, notice);
    tell_abort(notice, now);
    return;
  }
  if (other.probe_at <= now) queue_probe(rank, now);
  const bool keepalive = other.last_sent + keepalive_interval() <= now;
  const bool due = std::min(other.report_at, other.acknowledge_at) <= now;
  if ((keepalive || due) && !other.report_queued) {
    other.report_queued = true;
    other.report_at = other.acknowledge_at = never;
    control_.push(ControlJob{Control::report, rank});
  }
  schedule(rank);
}

/// Nothing was heard for the probe timeout: sends the first and the last unacknowledged segment of every message
/// once more, so that the peer either has all or sees everything that it lacks between them. Every message,
/// because the last superstep's may have arrived, and only the data that says so was lost.
void Endpoint::queue_probe(Rank rank, Instant now) {
  Peer& other = peer(rank);
  release_held_back(rank);
  for (OutgoingMessage& message : other.outgoing) {
    if (message.acknowledged() || message.first_never_sent() == 0) continue;
    const std::uint32_t first = message.first_unacknowledged();
    std::uint32_t last = message.first_never_sent() - 1;
    while (last > first && message.segment(last).acknowledged)
      --last;
    lost_.assign({first});
    if (last != first) lost_.push_back(last);
    std::erase_if(lost_, [&](std::uint32_t segment) { return message.segment(segment).repair_queued; });
    queue_repairs(rank, message, now);
  }
  ++other.probes;
  update_probe(rank, now);
}

void Endpoint::update_probe(Rank rank, Instant now) {
  Peer& other = peer(rank);
  const bool waiting =
      std::any_of(other.outgoing.begin(), other.outgoing.end(),
                  [](const OutgoingMessage& message) { return message.first_never_sent() > 0; });
  if (!receiver_driven() || (!waiting && other.held_back.empty())) {
    other.probe_at = never;
    return;
  }
  Duration timeout = other.path.probe_timeout();
  for (std::uint32_t i = probes_before_backoff; i < other.probes && timeout < longest_probe_interval; ++i) {
    timeout += timeout / 2;
  }
  other.probe_at = now + std::min(timeout, std::max(longest_probe_interval, other.path.probe_timeout()));
  schedule(rank);
}

/// If this process did not run for a while (stopped, or its host suspended), its peers' datagrams may still
/// wait in the socket: the time it slept is not their silence.
void Endpoint::forgive_own_sleep(Instant now) {
  const Duration slept = now - last_call_;
  last_call_ = std::max(last_call_, now);
  if (slept < config_.options.peer_timeout / 2) return;
  for_each_peer([&](Rank other) { peer(other).last_heard += slept; });
}

void Endpoint::begin_finish(Instant now) {
  finish_ = Finish::draining;
  for_each_peer([&](Rank rank) {
    Peer& other = peer(rank);
    // What the others wait for to leave: that all of theirs has arrived.
    other.acknowledge_at = std::min(other.acknowledge_at, now);
    schedule(rank);
  });
  update_finish(now);
}

void Endpoint::update_finish(Instant now) {
  if (finish_ == Finish::draining) {
    bool drained = true;
    finish_deadline_ = never;
    for_each_peer([&](Rank rank) {
      const Peer& other = peer(rank);
      if (other.finished || other.outgoing.empty()) return;
      const Instant given_up = other.last_heard + silence_limit();
      if (given_up <= now) return;
      drained = false;
      finish_deadline_ = std::min(finish_deadline_, given_up);
    });
    if (drained) begin_lingering(now);
  }
  if (finish_ == Finish::lingering) {
    bool all_finished = true;
    for_each_peer([&](Rank rank) { all_finished = all_finished && peer(rank).finished; });
    if (all_finished || now >= finish_deadline_) {
      finish_ = Finish::done;
      finish_deadline_ = never;
    }
  }
}

void Endpoint::begin_lingering(Instant now) {
  finish_ = Finish::lingering;
  const Duration timeout = longest_probe_timeout();
  finish_deadline_ = now + linger();
  for_each_peer([&](Rank rank) {
    control_.push(ControlJob{Control::fin, rank});
    control_.push(ControlJob{Control::fin, rank}, now + timeout / 2);
    control_.push(ControlJob{Control::fin, rank}, now + timeout);
  });
}

Duration Endpoint::linger() const {
  return std::clamp<Duration>(3 * longest_probe_timeout(), 50ms, 1s);
}

void Endpoint::abort(std::string_view reason, Instant now) {
  if (failure_) return;
  const AbortNotice notice{AbortReason::program, config_.rank, position_.superstep, 0, std::string(reason)};
  fail(Failure::Kind::aborted, notice);
  tell_abort(notice, now);
}

void Endpoint::tell_abort(AbortNotice notice, Instant now) {
  notice_ = std::move(notice);
  for (const Duration delay : abort_repeats) {
    for_each_peer([&](Rank rank) { control_.push(ControlJob{Control::abort, rank}, now + delay); });
  }
}

void Endpoint::fail(Failure::Kind kind, const AbortNotice& notice) {
  failure_ = Failure{kind, notice.subject, describe(notice)};
}

std::string Endpoint::describe(const AbortNotice& notice) const {
  switch (notice.reason) {
    case AbortReason::program:
      return fmt::format("rank {} aborted in superstep {}: {}", notice.subject, notice.superstep,
                         notice.text);
    case AbortReason::out_of_memory:
      return fmt::format("{} has no memory for a message in superstep {} ({}): send less per superstep",
                         name(notice.subject), notice.superstep, notice.text);
    case AbortReason::peer_lost:
      break;
  }
  return fmt::format(
      "{} was last heard {:.1f} s ago, in superstep {}: check that host and the network to it, or raise "
      "--peer-timeout",
      name(notice.subject), seconds(std::chrono::milliseconds{notice.silent_milliseconds}), notice.superstep);
}

Instant Endpoint::next_timeout() const {
  Instant next = control_.next_release();
  if (failure_) return next;
  next = std::min({next, deadlines_.next(), round_.deadline(), finish_deadline_, queue_.next_release(),
                   acks_.next_release()});
  if (queue_.ready() || acks_.ready()) next = std::min(next, pacer_.next_release());
  return next;
}

NetworkMeasure Endpoint::network() const {
  NetworkMeasure measure;
  std::uint64_t lost = 0;
  std::int64_t measured = 0;
  for (const auto& other : peers_) {
    if (!other) continue;
    measure.loss_sample += other->arrived.next();
    lost += other->arrived.next() - other->arrived.distinct();
    if (other->path.measured()) {
      measure.round_trip_time += other->path.round_trip();
      ++measured;
    }
  }
  if (measure.loss_sample > 0)
    measure.loss = static_cast<double>(lost) / static_cast<double>(measure.loss_sample);
  if (measured > 0) measure.round_trip_time /= measured;
  measure.bandwidth = best_arrival_rate_;
  return measure;
}

}  // namespace lbsp::transport
