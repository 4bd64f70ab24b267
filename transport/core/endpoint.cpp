#include "transport/core/endpoint.hpp"

#include <algorithm>
#include <utility>

#include "transport/peers/known_network.hpp"
#include "transport/peers/network_measure.hpp"
#include "transport/recovery/paper_rounds.hpp"
#include "transport/recovery/receiver_driven.hpp"

namespace lbsp::transport {
namespace {

std::unique_ptr<LossRecovery> make_recovery(EndpointState& state, Farewell& farewell) {
  if (state.config.options.recovery == Recovery::receiver)
    return std::make_unique<ReceiverDriven>(state, farewell);
  return std::make_unique<PaperRounds>(state);
}

void set_limits(Liveness& liveness, EndpointState& state, const std::vector<Rank>& peers) {
  for (const Rank rank : peers) {
    liveness.set_limits(state.peers[rank]);
    state.alarm.reschedule(rank);
  }
}

}  // namespace

Endpoint::Endpoint(EndpointConfig config, Instant now)
    : state_(std::move(config), now),
      writer_(state_),
      control_(state_, writer_),
      farewell_(state_.peers, state_.alarm, state_.config.options.peer_timeout,
                [this](Rank rank) { control_.say_fin(rank); }),
      recovery_(make_recovery(state_, farewell_)),
      liveness_(state_, farewell_, *recovery_, now),
      planning_(state_),
      in_flight_(state_),
      sending_(state_, writer_, in_flight_, *recovery_),
      granting_(state_),
      reporting_(state_, writer_, liveness_, *recovery_, granting_),
      sizes_(state_, writer_, *recovery_),
      assembly_(state_),
      receiving_(state_,
                 {assembly_, in_flight_, liveness_, *recovery_, farewell_, control_, sizes_, granting_}) {
  set_limits(liveness_, state_, state_.peers.others());
}

void Endpoint::begin_exchange(std::vector<Bytes> outgoing, Instant now) {
  begin_exchange_with(state_.peers.others(), std::move(outgoing), now);
}

void Endpoint::begin_exchange_with(const std::vector<Rank>& others, std::vector<Bytes> outgoing,
                                   Instant now) {
  begin_leg({next_superstep_, Leg::messages}, others, others, std::move(outgoing), now);
  ++next_superstep_;
}

void Endpoint::begin_last_exchange(std::vector<Bytes> outgoing, Instant now) {
  begin_exchange(std::move(outgoing), now);
  // Who waits for acknowledgements would take FIN, which may be the only one that arrives, for the last word.
  // Nor may anybody leave a job that is outlived before all have what they need: it may have to be had anew.
  if (state_.rules.legs_end_on_arrival && !state_.config.options.outlives_ranks)
    farewell_.begin_in_last_leg(now);
}

void Endpoint::begin_reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources, Instant now) {
  begin_leg({next_superstep_ - 1, Leg::replies}, destinations, sources, std::move(outgoing), now);
}

void Endpoint::send_early(EarlyMessages messages) {
  const std::uint32_t awaited_before = next_superstep_ - 1 + messages.supersteps;
  sending_.add_early(awaited_before, std::move(messages));
}

void Endpoint::begin_early(const std::vector<Rank>& sources, Instant now) {
  liveness_.forgive_own_sleep(now);
  state_.legs.begin({next_superstep_, Leg::early}, {}, sources, now);
  set_limits(liveness_, state_, sources);
}

void Endpoint::begin_leg(MessageId id, const std::vector<Rank>& destinations,
                         const std::vector<Rank>& sources, std::vector<Bytes> outgoing, Instant now) {
  for (const Rank to : destinations)
    sending_.check_size(to, outgoing[static_cast<std::size_t>(to)], id.superstep);
  look_at_clock(now);
  planning_.note_pause(now);
  state_.legs.begin(id, destinations, sources, now);
  sending_.add_messages(std::move(outgoing), now);
  planning_.plan_leg();
  recovery_->leg_begun(now);
  sizes_.leg_begun(now);
  granting_.leg_begun(now);
  set_limits(liveness_, state_, sources);
}

void Endpoint::begin_finish(Instant now) {
  look_at_clock(now);
  state_.legs.abandon();
  state_.forget_early();
  farewell_.begin(now);
  for (const Rank rank : state_.peers.others()) {
    // What the others wait for to leave: that all of theirs has arrived. FIN says it too.
    if (state_.peers[rank].parting.said == 0) state_.alarm.bring_forward(rank, Timer::acknowledge, now);
  }
}

bool Endpoint::heard_farewell() const {
  return std::ranges::any_of(state_.peers.others(),
                             [&](Rank rank) { return state_.peers[rank].parting.finished; });
}

void Endpoint::take_departure(Rank rank, Instant now) {
  if (failure() || rank < 0 || rank >= state_.config.size || rank == state_.config.rank) return;
  look_at_clock(now);
  Peer& gone = state_.peers[rank];
  gone.forget_what_it_needs();
  // Nobody is there to be told anything.
  gone.parting.said = std::max(gone.parting.said, 1);
  gone.parting.said_at = now;
  farewell_.heard(rank, true, now);
}

void Endpoint::abort(std::string_view reason, Instant now) {
  if (failure()) return;
  control_.fail(
      {AbortReason::program, state_.config.rank, state_.legs.position().superstep, 0, std::string(reason)},
      now);
}

std::optional<Transmit> Endpoint::poll_transmit(std::span<std::byte> buffer, Instant now) {
  look_at_clock(now);
  const Transmit* const written = write_next(buffer, now);
  if (written == nullptr) return std::nullopt;
  return *written;
}

const Transmit* Endpoint::write_next(std::span<std::byte> buffer, Instant now) {
  if (const auto* last_word = control_.next(buffer, now)) return last_word;
  if (failure()) return nullptr;
  state_.queue.release(now);
  state_.near_queue.release(now);
  if (const auto* far = next_to_other_hosts(buffer, now)) return far;
  if (!state_.near_queue.ready() || !state_.near_pacer.may_send(now)) return nullptr;
  return sending_.next(state_.near_queue, buffer, now);
}

/// Also reports to all.
const Transmit* Endpoint::next_to_other_hosts(std::span<std::byte> buffer, Instant now) {
  const bool report = state_.reports.ready(now, !state_.queue.ready());
  if (!report && !state_.queue.ready() && !sizes_.ready()) {
    state_.rate.pause(now);
    return nullptr;
  }
  if (state_.rate.refresh(now)) state_.reports.set_rate(state_.rate.rate(), now);
  if (!state_.rate.may_send(now)) return nullptr;
  if (const auto* question = sizes_.next_urgent(buffer, now)) return question;
  if (report) {
    if (const auto* written = reporting_.next(buffer, now)) return written;
  }
  if (const auto* data = sending_.next(state_.queue, buffer, now)) return data;
  return sizes_.next_idle(buffer, now);
}

void Endpoint::limit_datagrams(Rank to, std::size_t bytes, Instant now) {
  Peer& peer = state_.peers[to];
  // What is known already must not make the doubts about a path forgotten that carries still less.
  if (bytes >= peer.path.sizes.in_use()) return;
  sizes_.lower(peer, bytes, now);
  // With the paper's rounds, what does not pass ends the job after the silent-peer limit; later messages fit.
  if (failure() || !state_.rules.cuts_anew) return;
  state_.cut_anew(peer);
  recovery_->answer_awaited(peer, now);
}

void Endpoint::note_host_refusal(Rank to, int error, Instant now) {
  Peer& peer = state_.peers[to];
  const bool goes_on = error != 0 && peer.outbound.refused_by_host.error != 0;
  peer.outbound.refused_by_host = {error, goes_on ? peer.outbound.refused_by_host.since : now};
  liveness_.set_limits(peer);
  state_.alarm.reschedule(to);
}

void Endpoint::handle_timeout(Instant now) {
  look_at_clock(now);
  state_.lateness.note(now - std::min(now, state_.alarm.next()), now);
  state_.alarm.strike(
      now, [&](Rank rank) { liveness_.set_limits(state_.peers[rank]); },
      [&](Rank rank, Timer timer) { strike(rank, timer, now); });
}

void Endpoint::strike(Rank rank, Timer timer, Instant now) {
  switch (timer) {
    case Timer::silence:
    case Timer::progress:
      return control_.fail(liveness_.verdict(state_.peers[rank], now), now);
    case Timer::farewell:
      return farewell_.update(rank, now);
    case Timer::size:
      return sizes_.judge(state_.peers[rank], now);
    case Timer::acknowledgement:
    case Timer::probe:
    case Timer::round:
      if (const auto notice = recovery_->struck(rank, timer, now)) control_.fail(*notice, now);
      if (timer == Timer::probe && state_.peers[rank].outbound.probes > 1) sizes_.unheard(state_.peers[rank]);
      return;
    case Timer::report:
    case Timer::acknowledge:
    case Timer::keepalive:
      return state_.queue_report(state_.peers[rank]);
  }
}

Instant Endpoint::next_timeout() const {
  const Instant next = next_transmit();
  if (failure()) return next;
  const Instant alarm = state_.alarm.next();
  return alarm == never ? next : std::min({next, alarm, liveness_.next_call()});
}

Instant Endpoint::next_transmit() const {
  Instant next = control_.next_release();
  if (failure()) return next;
  next = std::min({next, state_.queue.next_release(), state_.near_queue.next_release()});
  if (state_.queue.ready() || sizes_.ready()) next = std::min(next, state_.rate.next_release());
  if (state_.near_queue.ready()) next = std::min(next, state_.near_pacer.next_release());
  if (!state_.reports.empty())
    next = std::min(next,
                    std::max(state_.rate.next_release(), state_.reports.next_release(!state_.queue.ready())));
  return next;
}

KnownNetwork Endpoint::known() const {
  return known_network(state_);
}

NetworkMeasure Endpoint::network() const {
  return network_measure(state_, assembly_.best_rate());
}

}  // namespace lbsp::transport
