#include "transport/core/endpoint.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "transport/core/paper_rounds.hpp"
#include "transport/core/receiver_driven.hpp"
#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// An ABORT is not acknowledged, so it is said three times, spread over a burst of losses.
constexpr Duration abort_repeats[] = {0ms, 5ms, 20ms};

std::unique_ptr<LossRecovery> make_recovery(EndpointState& state, Farewell& farewell) {
  if (state.config.options.recovery == Recovery::receiver)
    return std::make_unique<ReceiverDriven>(state, farewell);
  return std::make_unique<PaperRounds>(state);
}

}  // namespace

Endpoint::Endpoint(EndpointConfig config, Instant now)
    : state_(std::move(config), now),
      job_tag_(state_.config.key.tag()),
      farewell_(state_.peers, state_.alarm, state_.config.options.peer_timeout,
                [this](Rank rank) {
                  control_.push(ControlJob{Control::fin, rank});
                }),
      recovery_(make_recovery(state_, farewell_)),
      liveness_(state_, farewell_, *recovery_, now) {
  state_.peers.for_each([&](Rank other) {
    liveness_.set_limits(other);
    state_.alarm.reschedule(other);
  });
}

void Endpoint::share_losses() {
  if (!state_.config.priors.empty()) return;
  SharedLoss shared;
  state_.peers.for_each(
      [&](Rank other) { shared.add(peer(other).reported_loss, peer(other).echoed_packets); });
  state_.peers.for_each([&](Rank other) {
    Peer& each = peer(other);
    each.prior = shared.prior_beside(each.reported_loss, each.echoed_packets);
  });
}

void Endpoint::begin_exchange(std::vector<Bytes> outgoing, Instant now) {
  state_.leg.destinations.clear();
  state_.peers.for_each([&](Rank other) { state_.leg.destinations.push_back(other); });
  state_.leg.sources = state_.leg.destinations;
  begin_leg({next_superstep_, Leg::messages}, std::move(outgoing), now);
  ++next_superstep_;
}

void Endpoint::begin_reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources, Instant now) {
  state_.leg.destinations = destinations;
  state_.leg.sources = sources;
  begin_leg({next_superstep_ - 1, Leg::replies}, std::move(outgoing), now);
}

void Endpoint::check_size(Rank to, const Bytes& message) const {
  const bool too_many_segments = segments_of(message.size(), peer(to).segment_bytes()) > UINT32_MAX;
  if (message.size() <= state_.config.options.max_message_bytes && !too_many_segments) return;
  throw MessageTooLarge(fmt::format(
      "rank {} sends {} bytes to rank {} in superstep {}, the ceiling is {}: send less per "
      "superstep, or raise --max-message",
      state_.config.rank, message.size(), to, next_superstep_, state_.config.options.max_message_bytes));
}

void Endpoint::begin_leg(MessageId id, std::vector<Bytes> outgoing, Instant now) {
  for (const Rank to : state_.leg.destinations)
    check_size(to, outgoing[static_cast<std::size_t>(to)]);
  liveness_.forgive_own_sleep(now);
  state_.position = state_.leg.id = id;
  state_.leg.active = true;
  state_.leg.awaited = 0;
  for (const Rank from : state_.leg.sources) {
    Peer& other = peer(from);
    other.incoming.remove_if(
        [&](const IncomingMessage& old) { return old.id().superstep + 2 <= id.superstep; });
    const IncomingMessage* early = other.incoming.find(id);
    other.awaited = early == nullptr || !early->complete();
    other.progress_at = now;
    if (other.awaited) ++state_.leg.awaited;
  }
  for (const Rank to : state_.leg.destinations) {
    Bytes& payload = outgoing[static_cast<std::size_t>(to)];
    state_.counters.payload_bytes_sent += payload.size();
    peer(to).outgoing.add(OutgoingMessage(id, std::move(payload), peer(to).segment_bytes()));
    peer(to).acknowledged_at = now;
    state_.queue.passes.push(PassJob{to, id, 0, 0});
  }
  plan_leg();
  recovery_->leg_begun(now);
  for (const Rank from : state_.leg.sources) {
    liveness_.set_limits(from);
    state_.alarm.reschedule(from);
  }
}

void Endpoint::plan_leg() {
  share_losses();
  std::vector<PlannedMessage> messages;
  for (const Rank to : state_.leg.destinations) {
    const OutgoingMessage& message = *peer(to).outgoing.find(state_.leg.id);
    messages.push_back({to, message.total_bytes(), message.segment_count(), peer(to).forecast()});
  }
  std::vector<MessagePlan> plans(messages.size());
  const LegOutline outline{state_.config.rank,
                           state_.config.size,
                           state_.config.options.recovery,
                           state_.rate.rate(),
                           state_.config.options.datagram_bytes,
                           messages};
  if (state_.leg.id.leg == Leg::messages) forecast_ = {};
  forecast_.duration += state_.planner->plan(outline, plans).duration;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    OutgoingMessage& message = *peer(messages[i].to).outgoing.find(state_.leg.id);
    MessagePlan plan = plans[i];
    plan.copies = std::clamp(plan.copies, 1, max_copies);
    plan.coded = plan.coded && recovery_->codes();
    message.set_plan(plan);
    forecast_.most_copies = std::max(forecast_.most_copies, message.most_transmissions());
  }
}

std::vector<Bytes> Endpoint::take_messages() {
  std::vector<Bytes> messages(static_cast<std::size_t>(state_.config.size));
  for (const Rank from : state_.leg.sources) {
    IncomingMessage* message = peer(from).incoming.find(state_.leg.id);
    Bytes& taken = messages[static_cast<std::size_t>(from)];
    taken = message->take_payload();
    state_.counters.payload_bytes_received += taken.size();
    if (!recovery_->keeps_taken_messages()) {
      peer(from).incoming.remove_if([&](const IncomingMessage& old) { return old.id() == state_.leg.id; });
    }
  }
  return messages;
}

void Endpoint::handle_timeout(Instant now) {
  liveness_.forgive_own_sleep(now);
  state_.alarm.strike(
      now, [&](Rank rank) { liveness_.set_limits(rank); },
      [&](Rank rank, Timer timer) { strike(rank, timer, now); });
  if (!failure_) recovery_->handle_timeout(now);
}

void Endpoint::strike(Rank rank, Timer timer, Instant now) {
  switch (timer) {
    case Timer::silence:
    case Timer::progress:
    case Timer::acknowledgement:
      return fail(liveness_.verdict(rank, now), now);
    case Timer::farewell:
      return farewell_.update(rank, now);
    case Timer::probe:
      return recovery_->probe(rank, now);
    case Timer::report:
    case Timer::acknowledge:
    case Timer::keepalive:
      return state_.queue_report(rank);
  }
}

void Endpoint::limit_datagrams(Rank to, std::size_t bytes, Instant now) {
  peer(to).limit_datagrams(bytes);
  if (!failure_) recovery_->datagrams_limited(to, now);
}

void Endpoint::begin_finish(Instant now) {
  liveness_.forgive_own_sleep(now);
  farewell_.begin(now);
  state_.peers.for_each([&](Rank rank) {
    // What the others wait for to leave: that all of theirs has arrived. FIN says it too.
    if (peer(rank).parting.said == 0) state_.alarm.bring_forward(rank, Timer::acknowledge, now);
  });
}

void Endpoint::abort(std::string_view reason, Instant now) {
  if (failure_) return;
  const AbortNotice notice{AbortReason::program, state_.config.rank, state_.position.superstep, 0,
                           std::string(reason)};
  fail(notice, now);
}

/// Ends this endpoint and tells all others. Who is told tells it on, because the rank that said it first may
/// be gone, and all of its datagrams to another lost.
void Endpoint::fail(const AbortNotice& notice, Instant now) {
  state_.alarm.stop();
  failure_ = failure_from(notice, state_.config.addresses);
  notice_ = notice;
  for (const Duration delay : abort_repeats) {
    state_.peers.for_each([&](Rank rank) { control_.push(ControlJob{Control::abort, rank}, now + delay); });
  }
}

Instant Endpoint::next_timeout() const {
  Instant next = control_.next_release();
  if (failure_) return next;
  next = std::min({next, state_.alarm.next(), recovery_->next_timeout(), state_.queue.next_release(),
                   state_.acks.next_release()});
  if (state_.queue.ready() || state_.acks.ready()) next = std::min(next, state_.rate.next_release());
  if (!state_.reports.empty())
    next = std::min(next, std::max(state_.rate.next_release(), state_.reports.next_release()));
  return next;
}

NetworkMeasure Endpoint::network() const {
  NetworkMeasure measure;
  std::uint64_t lost = 0;
  std::int64_t measured = 0;
  state_.peers.for_each([&](Rank rank) {
    const Peer& other = peer(rank);
    measure.loss_sample += other.arrived.next();
    lost += other.arrived.next() - other.arrived.distinct();
    if (!other.path.measured()) return;
    measure.round_trip_time += other.path.round_trip();
    ++measured;
  });
  if (measure.loss_sample > 0)
    measure.loss = static_cast<double>(lost) / static_cast<double>(measure.loss_sample);
  if (measured > 0) measure.round_trip_time /= measured;
  measure.bandwidth = best_arrival_rate_;
  measure.rate = state_.rate.rate();
  return measure;
}

}  // namespace lbsp::transport
