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
  for (const Seat& seat : letter.value.seats)
    change.seated.push_back(seat.slot);
  return change;
}

}  // namespace

LastingEndpoint::LastingEndpoint(EndpointConfig config, PlannerFactory planner, const Letter& letter,
                                 Instant now)
    : succession_(std::move(config), std::move(planner)),
      membership_(std::make_unique<Membership>(job(), letter.epoch)),
      names_(&membership_->callers()),
      ways_(names_, static_cast<std::size_t>(job().size), job().options.datagram_bytes, membership_.get()),
      sleep_(job().options.peer_timeout),
      change_(change_to(letter)) {
  succession_.learn(letter);
  enter(letter, now);
}

void LastingEndpoint::enter(const Letter& letter, Instant now) {
  succession_.begin_epoch(letter);
  held_.hold(letter.value.boundary);
  enter(letter.epoch, letter.members(), new_members_after(letter.value), now);
}

void LastingEndpoint::enter(Epoch epoch, const MemberSet& members, const MemberSet& new_here, Instant now) {
  names_.enter(members);
  rank_ = members.below(job().rank);
  endpoint_ = std::make_unique<Endpoint>(succession_.endpoint_of(epoch, rank_, names_), now);
  ways_.begin_epoch(*endpoint_, rank_, now);
  held_.begin_epoch();
  closing_ = false;
  leaving_ = false;
  agreeing_since_ = never;
  membership_->begin_epoch({.epoch = epoch,
                            .key = job().key,
                            .members = members,
                            .new_here = new_here,
                            .refused = ways_.refusal().to,
                            .held = {held_.newest(), held_.newest()},
                            .round_trip = succession_.records().longest_round_trip()},
                           now);
}

/// A peer that takes its leave knows that all have completed the last exchange, whatever else is awaited here. From
/// here on nothing is agreed on any more: who still misses somebody is told so by FIN. Who has slept may have been
/// given up since what it reads first had come.
void LastingEndpoint::leave_when_all_are_done(Instant now) {
  if (!closing_ || leaving_ || change_ || endpoint_->failure()) return;
  const bool all_done = !agreeing() && endpoint_->exchange_complete() && !sleep_.is_just_over(now);
  if (!all_done && !endpoint_->heard_farewell()) return;
  leaving_ = true;
  endpoint_->begin_finish(now);
}

/// Goes on in the next epoch, or ends, if it has been decided so.
void LastingEndpoint::follow(Instant now) {
  if (!takes_part()) return;
  leave_when_all_are_done(now);
  if (leaving_ || !agreeing()) return;
  agreeing_since_ = std::min(agreeing_since_, now);
  const Agreement& agreement = membership_->agreement();
  if (agreement.stage() == Agreement::Stage::out)
    excluded_ =
        Failure{Failure::Kind::excluded, rank_,
                why_left_out(*agreement.exclusion(), ways_.refusal(), succession_.records().places())};
  if (agreement.stage() == Agreement::Stage::decided) change_world(now);
}

void LastingEndpoint::change_world(Instant now) {
  const Agreement& agreement = membership_->agreement();
  const MemberSet before = agreement.config().members;
  const Decision value = *agreement.view().decided;
  const Duration silence = agreement.hearing().silence_of(before - value.members, now);
  const Duration agreed_for = now - agreeing_since_ + (change_ ? change_->agreement : Duration{0});
  const Letter letter = succession_.end_epoch(epoch(), before, value, *endpoint_, names_, ways_.stations());
  membership_->end_epoch(letter);
  ways_.forget(membership_->take_reused());
  enter(letter, now);
  WorldChange change = change_to(letter);
  change.silence = silence;
  change.agreement = agreed_for;
  change_ = change_ ? followed_by(*change_, change) : std::move(change);
}

}  // namespace lbsp::transport
