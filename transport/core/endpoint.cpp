#include "transport/core/endpoint.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "transport/error.hpp"
#include "transport/fixed_redundancy.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// How often a probe goes out at its plain timeout before the time between probes grows.
constexpr std::uint32_t probes_before_backoff = 3;
constexpr Duration longest_probe_interval = 1s;
/// An ABORT is not acknowledged, so it is said three times, spread over a burst of losses.
constexpr Duration abort_repeats[] = {0ms, 5ms, 20ms};

double usual_loss(const std::vector<PathForecast>& priors) {
  if (priors.empty()) return default_prior().loss;
  const auto highest = std::ranges::max_element(priors, {}, &PathForecast::loss);
  return highest->loss;
}

}  // namespace

Endpoint::Endpoint(EndpointConfig config, Instant now)
    : config_(std::move(config)),
      job_tag_(config_.key.tag()),
      room_(room_for_each_peer(config_.buffer_datagrams, config_.size)),
      rate_(config_.options, usual_loss(config_.priors), now),
      reports_(config_.options.rate, config_.size, now),
      deadlines_(config_.size),
      acknowledgement_copies_(config_.options.copies),
      planner_(config_.planner ? config_.planner : std::make_shared<FixedRedundancy>(config_.options.copies)),
      farewell_(peers_, config_.options.peer_timeout,
                [this](Rank rank) {
                  control_.push(ControlJob{Control::fin, rank});
                }),
      last_call_(now) {
  validate(config_.options);
  if (config_.size < 1 || config_.size > max_ranks || config_.rank < 0 || config_.rank >= config_.size) {
    throw UsageError(
        fmt::format("rank {} of {} ranks: choose 1 to {} ranks", config_.rank, config_.size, max_ranks));
  }
  peers_.resize(static_cast<std::size_t>(config_.size));
  for_each_peer([&](Rank other) {
    peers_[static_cast<std::size_t>(other)] = std::make_unique<Peer>(
        config_.key, config_.rank, other, config_.size, config_.cipher, config_.options.datagram_bytes, now);
    apply_prior(other);
    schedule(other);
  });
}

void Endpoint::apply_prior(Rank rank) {
  const auto place = static_cast<std::size_t>(rank);
  if (place >= config_.priors.size()) return;
  const PathForecast& prior = config_.priors[place];
  peer(rank).prior = prior;
  if (prior.round_trip > Duration::zero()) {
    peer(rank).path.assume(prior.round_trip, prior.round_trip_variation);
  }
}

void Endpoint::share_losses() {
  if (!config_.priors.empty()) return;
  SharedLoss shared;
  for_each_peer([&](Rank other) { shared.add(peer(other).reported_loss, peer(other).echoed_packets); });
  for_each_peer([&](Rank other) {
    Peer& each = peer(other);
    each.prior = shared.prior_beside(each.reported_loss, each.echoed_packets);
  });
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
  const bool too_many_segments = segments_of(message.size(), segment_bytes_to(peer(to))) > UINT32_MAX;
  if (message.size() <= config_.options.max_message_bytes && !too_many_segments) return;
  throw MessageTooLarge(
      fmt::format("rank {} sends {} bytes to rank {} in superstep {}, the ceiling is {}: send less per "
                  "superstep, or raise --max-message",
                  config_.rank, message.size(), to, next_superstep_, config_.options.max_message_bytes));
}

void Endpoint::begin_leg(MessageId id, std::vector<Bytes> outgoing, Instant now) {
  for (const Rank to : leg_.destinations)
    check_size(to, outgoing[static_cast<std::size_t>(to)]);
  forgive_own_sleep(now);
  position_ = leg_.id = id;
  leg_.active = true;
  leg_.awaited = 0;
  for (const Rank from : leg_.sources) {
    Peer& other = peer(from);
    other.incoming.remove_if(
        [&](const IncomingMessage& old) { return old.id().superstep + 2 <= id.superstep; });
    const IncomingMessage* early = other.incoming.find(id);
    other.awaited = early == nullptr || !early->complete();
    other.progress_at = now;
    if (other.awaited) ++leg_.awaited;
  }
  for (const Rank to : leg_.destinations) {
    Bytes& payload = outgoing[static_cast<std::size_t>(to)];
    counters_.payload_bytes_sent += payload.size();
    peer(to).outgoing.add(OutgoingMessage(id, std::move(payload), segment_bytes_to(peer(to))));
    peer(to).acknowledged_at = now;
    queue_.passes.push(PassJob{to, id, 0, 0});
  }
  plan_leg();
  const bool nothing_to_wait_for = leg_.awaited == 0 && (receiver_driven() || leg_.destinations.empty());
  if (nothing_to_wait_for) return complete_leg();
  if (!receiver_driven()) start_round_clock(now);
  for (const Rank from : leg_.sources)
    schedule(from);
}

void Endpoint::plan_leg() {
  share_losses();
  std::vector<PlannedMessage> messages;
  for (const Rank to : leg_.destinations) {
    const OutgoingMessage& message = *peer(to).outgoing.find(leg_.id);
    messages.push_back({to, message.total_bytes(), message.segment_count(), peer(to).forecast()});
  }
  std::vector<MessagePlan> plans(messages.size());
  const LegOutline outline{
      config_.rank, config_.size, config_.options.recovery, rate_.rate(), config_.options.datagram_bytes,
      messages};
  if (leg_.id.leg == Leg::messages) forecast_ = {};
  forecast_.duration += planner_->plan(outline, plans).duration;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    OutgoingMessage& message = *peer(messages[i].to).outgoing.find(leg_.id);
    MessagePlan plan = plans[i];
    plan.copies = std::clamp(plan.copies, 1, max_copies);
    plan.coded = plan.coded && receiver_driven();
    message.set_plan(plan);
    forecast_.most_copies = std::max(forecast_.most_copies, message.most_transmissions());
  }
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

/// When to say something that arrives even where large datagrams do not. More often while nothing seems to
/// arrive there: on a path that loses datagrams in bursts, a burst that takes all of a second's data takes ten
/// seconds' keepalives.
Instant Endpoint::keepalive_at(const Peer& other) const {
  const Duration interval = std::min<Duration>(1s, config_.options.peer_timeout / 8);
  const Instant doubtful = other.echoed_at + 3 * interval;
  return std::min(other.last_small_sent + interval, std::max(other.last_small_sent + interval / 8, doubtful));
}

Instant Endpoint::deadline_of(const Peer& other) const {
  if (failure_) return never;
  Instant deadline = std::min(other.parting.deadline, patience_ends(other));
  if (other.left()) return deadline;
  deadline = std::min(deadline, other.probe_at);
  // What a report would be for is in the one that is queued, however long that has to wait.
  if (!other.report_queued) {
    deadline = std::min({deadline, other.report_at, other.acknowledge_at, keepalive_at(other)});
  }
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
}

void Endpoint::handle_peer_deadline(Rank rank, Instant now) {
  if (failure_) return;
  Peer& other = peer(rank);
  if (patience_ends(other) <= now) {
    give_up(rank, now);
    return;
  }
  farewell_.update(rank, now);
  if (!other.left()) {
    if (other.probe_at <= now) queue_probe(rank, now);
    const bool due = std::min({other.report_at, other.acknowledge_at, keepalive_at(other)}) <= now;
    if (due && !other.report_queued) {
      other.report_at = other.acknowledge_at = never;
      queue_report(rank);
    }
  }
  schedule(rank);
}

void Endpoint::queue_report(Rank rank) {
  peer(rank).report_queued = true;
  reports_.push(rank);
}

/// Nothing was heard for the probe timeout: sends the first and the last unacknowledged segment of every
/// message once more, so that the peer either has all or sees everything that it lacks between them. Every
/// message, because the last superstep's may have arrived, and only the data that says so was lost.
void Endpoint::queue_probe(Rank rank, Instant now) {
  Peer& other = peer(rank);
  other.flight.probed(other.echoed_packets);
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
    queue_segments(rank, message, now);
  }
  // Something small with it tells whether the path is narrow.
  if (other.narrow.untold() && !other.report_queued) queue_report(rank);
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
  const Duration plain = probe_timeout(other);
  Duration timeout = plain;
  for (std::uint32_t i = probes_before_backoff; i < other.probes && timeout < longest_probe_interval; ++i) {
    timeout += timeout / 2;
  }
  other.probe_at = now + std::min(timeout, std::max(longest_probe_interval, plain));
  schedule(rank);
}

/// At a low rate the peer's answer waits for its turn among its reports and for the datagram that is leaving
/// there, longer than a peer that has all may hold it.
Duration Endpoint::probe_timeout(const Peer& other) const {
  const Duration turn =
      reports_.round() + rate_.rate().time_for(static_cast<double>(config_.options.datagram_bytes));
  const Duration held = other.path.acknowledgement_delay();
  return other.path.probe_timeout() + std::max(turn - held, Duration{0});
}

void Endpoint::begin_finish(Instant now) {
  forgive_own_sleep(now);
  farewell_.begin(now);
  for_each_peer([&](Rank rank) {
    Peer& other = peer(rank);
    // What the others wait for to leave: that all of theirs has arrived. FIN says it too.
    if (other.parting.said == 0) other.acknowledge_at = std::min(other.acknowledge_at, now);
    schedule(rank);
  });
}

void Endpoint::abort(std::string_view reason, Instant now) {
  if (failure_) return;
  const AbortNotice notice{AbortReason::program, config_.rank, position_.superstep, 0, std::string(reason)};
  fail(notice, now);
}

/// Ends this endpoint and tells all others. Who is told tells it on, because the rank that said it first may
/// be gone, and all of its datagrams to another lost.
void Endpoint::fail(const AbortNotice& notice, Instant now) {
  failure_ = failure_from(notice, config_.addresses);
  notice_ = notice;
  for (const Duration delay : abort_repeats) {
    for_each_peer([&](Rank rank) { control_.push(ControlJob{Control::abort, rank}, now + delay); });
  }
}

Instant Endpoint::next_timeout() const {
  Instant next = control_.next_release();
  if (failure_) return next;
  next = std::min({next, deadlines_.next(), round_.deadline(), queue_.next_release(), acks_.next_release()});
  if (queue_.ready() || acks_.ready()) next = std::min(next, rate_.next_release());
  if (!reports_.empty()) next = std::min(next, std::max(rate_.next_release(), reports_.next_release()));
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
  measure.rate = rate_.rate();
  return measure;
}

}  // namespace lbsp::transport
