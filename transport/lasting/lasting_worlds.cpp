// How a lasting endpoint goes from one world to the next: with whom, from where, and with what it knows of the network.
#include <algorithm>
#include <utility>

#include "transport/lasting/lasting_endpoint.hpp"

namespace lbsp::transport {
namespace {

std::vector<Rank> seated_by(const Decision& value) {
  std::vector<Rank> slots;
  for (const Seat& seat : value.seats)
    slots.push_back(seat.slot);
  return slots;
}

}  // namespace

LastingEndpoint::LastingEndpoint(EndpointConfig config, PlannerFactory planner, const Letter& letter,
                                 Instant now)
    : config_(checked_for_all_epochs(std::move(config))),
      planner_(std::move(planner)),
      held_notices_(letter.epoch),
      routes_(static_cast<std::size_t>(config_.size), config_.options.datagram_bytes),
      sleep_(config_.options.peer_timeout) {
  begin_to_last();
  config_.key = letter.key;
  records_.take_hosts(letter.hosts);
  // Where the others that begin now are this process was hardly told.
  for (const Seat& seat : letter.value.seats)
    records_.forget_path(seat.slot);
  boundary_ = letter.value.boundary;
  const MemberSet members = letter.members();
  change_ = WorldChange{.epoch = letter.epoch,
                        .members = in_order(members),
                        .lost = in_order(letter.before - letter.value.members),
                        .boundary = boundary_,
                        .seated = seated_by(letter.value),
                        .hosts = records_.hosts()};
  enter(letter.epoch, members, new_members_after(letter.value), now);
}

void LastingEndpoint::enter(Epoch epoch, const MemberSet& members, const MemberSet& new_here, Instant now) {
  names_.enter(members);
  const std::vector<Slot>& slots = names_.slots();
  rank_ = members.below(config_.rank);
  EndpointConfig config = config_;
  config.rank = rank_;
  config.size = size();
  records_.tell(config, slots);
  if (planner_ && epoch > 0) config.planner = planner_(rank_);
  if (auto known = earlier_.known_for(slots)) config.known = std::move(known);
  endpoint_ = std::make_unique<Endpoint>(std::move(config), now);
  for (Rank rank = 0; rank < size(); ++rank) {
    if (rank == rank_) continue;
    const Station station = names_.station_at(rank);
    routes_.add(station);
    endpoint_->limit_route(rank, routes_.bytes(station));
  }
  AgreementConfig of_epoch{.self = config_.rank,
                           .epoch = epoch,
                           .members = members,
                           .peer_timeout = config_.options.peer_timeout,
                           .round_trip = records_.longest_round_trip(),
                           .new_here = new_here,
                           .notices = notices_,
                           .room = MemberSet::first(MemberSet::most) - members,
                           .newcomer_wait = config_.options.newcomer_wait};
  of_epoch.seats = [this](const MemberSet& open) {
    const MemberSet allowed = grows_ ? open : open - agreement_->config().room;
    return callers_->seats_for(allowed, time_ - longest_between_knocks);
  };
  agreement_ = std::make_unique<SpokenAgreement>(std::move(of_epoch), Held{boundary_, boundary_}, config_.key,
                                                 config_.cipher, now);
  for (const auto& [station, error] : routes_.refused())
    tell_of_refusal(station, error, now);
  told_ = boundary_;
  with_new_boundary_ = false;
  closing_ = false;
  leaving_ = false;
  agreeing_since_ = never;
  follow_notices(now);
}

/// Goes on in the next epoch, or ends, if it has been decided so.
void LastingEndpoint::follow(Instant now) {
  if (!agreement_ || excluded_ || endpoint_->failure()) return;
  leave_when_all_are_done(now);
  if (leaving_ || !agreeing()) return;
  agreeing_since_ = std::min(agreeing_since_, now);
  if (agreement_->stage() == Agreement::Stage::out)
    excluded_ = Failure{Failure::Kind::excluded, rank_, why_excluded()};
  if (agreement_->stage() == Agreement::Stage::decided) change_world(now);
}

void LastingEndpoint::change_world(Instant now) {
  const Epoch epoch = agreement_->config().epoch;
  const Decision value = *agreement_->view().decided;
  const MemberSet before = agreement_->config().members;
  const MemberSet lost = before - value.members;
  const MemberSet members = members_after(value);
  WorldChange change{.epoch = epoch + 1,
                     .members = in_order(members),
                     .lost = in_order(lost),
                     .boundary = value.boundary,
                     .silence = agreement_->silence_of(lost, now),
                     .agreement = now - agreeing_since_ + (change_ ? change_->agreement : Duration{0}),
                     .seated = seated_by(value)};
  remember_paths();
  earlier_.add(*endpoint_, names_, value.members);
  notices_ = agreement_->notices();
  past_ = {std::move(agreement_), callers_->stations()};
  config_.key = next_epoch_key(config_.key, epoch, value);
  boundary_ = value.boundary;
  take_seats(value, epoch + 1);
  change.hosts = records_.hosts();
  callers_->seat(
      {.epoch = epoch + 1, .key = config_.key, .before = before, .value = value, .hosts = records_.hosts()});
  forget_former_callers();
  enter(epoch + 1, members, new_members_after(value), now);
  change_ = change_ ? followed_by(*change_, change) : std::move(change);
}

}  // namespace lbsp::transport
