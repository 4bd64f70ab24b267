// How a lasting endpoint goes from one world to the next: with whom, from where, and with what it knows of the network.
#include <algorithm>
#include <utility>

#include "transport/lasting/lasting_endpoint.hpp"
#include "transport/lasting/why_left_out.hpp"

namespace lbsp::transport {
namespace {

/// What the world becomes that a letter is of.
WorldChange change_to(const Letter& letter) {
  WorldChange change{.epoch = letter.epoch,
                     .members = in_order(letter.members()),
                     .lost = in_order(letter.before - letter.value.members),
                     .boundary = letter.value.boundary,
                     .hosts = letter.hosts};
  for (const Seat& seat : letter.value.seats) {
    change.seated.push_back(seat.slot);
    change.newcomers.push_back(seat.incarnation.process());
  }
  return change;
}

}  // namespace

LastingEndpoint::LastingEndpoint(EndpointConfig config, PlannerFactory planner, const Letter& letter,
                                 Instant now)
    : membership_(std::make_unique<Membership>(config, letter.epoch)),
      world_(std::move(config), std::move(planner), membership_.get()),
      leave_(world_.job().options.peer_timeout),
      change_(change_to(letter)) {
  world_.learn(letter);
  enter(letter, now);
}

void LastingEndpoint::enter(const Letter& letter, Instant now) {
  world_.enter(letter, now);
  held_.hold(letter.value.boundary);
  held_.begin_epoch();
  leave_.begin_epoch();
  agreeing_since_ = never;
  membership_->begin_epoch({.epoch = letter.epoch,
                            .key = letter.key,
                            .members = letter.members(),
                            .new_here = new_members_after(letter.value),
                            .refused = world_.ways().refusal().to,
                            .held = {held_.newest(), held_.newest()},
                            .round_trip = world_.records().longest_round_trip()},
                           now);
}

/// Leaves, or goes on in the next epoch, or ends, if it has been decided so.
void LastingEndpoint::follow(Instant now) {
  if (!takes_part()) return;
  if (leave_.is_closing() && !change_) {
    Endpoint& endpoint = world_.endpoint();
    const bool complete = !agreeing() && endpoint.exchange_complete();
    if (leave_.begin(complete, endpoint.heard_farewell(), now)) return endpoint.begin_finish(now);
  }
  if (!agreeing()) return;
  agreeing_since_ = std::min(agreeing_since_, now);
  const Agreement& agreement = membership_->agreement();
  if (agreement.stage() == Agreement::Stage::out)
    excluded_ =
        Failure{Failure::Kind::excluded, world_.rank(),
                why_left_out(*agreement.exclusion(), world_.ways().refusal(), world_.records().places())};
  if (agreement.stage() == Agreement::Stage::decided) change_world(now);
}

void LastingEndpoint::change_world(Instant now) {
  const Agreement& agreement = membership_->agreement();
  const MemberSet before = agreement.config().members;
  const Decision value = *agreement.view().decided;
  const Duration silence = agreement.hearing().silence_of(before - value.members, now);
  const Duration agreed_for = now - agreeing_since_ + (change_ ? change_->agreement : Duration{0});
  const Letter letter = world_.end(agreement.config().epoch, before, value);
  membership_->end_epoch(letter);
  world_.ways().forget(membership_->take_reused());
  enter(letter, now);
  WorldChange change = change_to(letter);
  change.silence = silence;
  change.agreement = agreed_for;
  change_ = change_ ? followed_by(*change_, change) : std::move(change);
}

}  // namespace lbsp::transport
