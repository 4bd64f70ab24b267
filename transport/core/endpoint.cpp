#include "transport/core/endpoint.hpp"

#include <algorithm>
#include <utility>

#include "transport/peers/known_network.hpp"
#include "transport/peers/network_measure.hpp"
#include "transport/protocol_times.hpp"
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
      addresses_(state_, writer_),
      receiving_(state_, {assembly_, in_flight_, liveness_, *recovery_, farewell_, control_, sizes_,
                          granting_, addresses_}),
      outlet_(state_, {control_, addresses_, reporting_, sending_, sizes_}),
      routes_(state_, {sizes_, *recovery_, liveness_, control_}) {
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

Instant Endpoint::first_answers_until(Instant since) const {
  return std::max(since + protocol::longest_wait_for_answers,
                  state_.rate.first_flight_heard() + protocol::longest_until_next_answer);
}

void Endpoint::abort(std::string_view reason, Instant now) {
  if (failure()) return;
  control_.fail(
      {AbortReason::program, state_.config.rank, state_.legs.position().superstep, 0, std::string(reason)},
      now);
}

std::optional<Transmit> Endpoint::poll_transmit(std::span<std::byte> buffer, Instant now) {
  look_at_clock(now);
  const Transmit* const written = outlet_.next(buffer, now);
  if (written == nullptr) return std::nullopt;
  return *written;
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

KnownNetwork Endpoint::known() const {
  return known_network(state_);
}

NetworkMeasure Endpoint::network() const {
  return network_measure(state_, assembly_.best_rate());
}

}  // namespace lbsp::transport
