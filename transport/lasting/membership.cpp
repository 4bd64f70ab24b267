#include "transport/lasting/membership.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {

Membership::Membership(const EndpointConfig& job, Epoch first)
    : self_(job.rank),
      cipher_(job.cipher),
      peer_timeout_(job.options.peer_timeout),
      newcomer_wait_(job.options.newcomer_wait),
      callers_(job.key, job.rank, MemberSet::most, job.cipher),
      held_notices_(first) {}

void Membership::begin_epoch(const Beginning& epoch, Instant now) {
  time_ = std::max(time_, now);
  AgreementConfig config{.self = self_,
                         .epoch = epoch.epoch,
                         .members = epoch.members,
                         .peer_timeout = peer_timeout_,
                         .round_trip = epoch.round_trip,
                         .new_here = epoch.new_here,
                         .notices = notices_,
                         .room = MemberSet::first(MemberSet::most) - epoch.members,
                         .newcomer_wait = newcomer_wait_};
  config.seats = [this](const MemberSet& open) { return seats_for(open); };
  agreement_ = std::make_unique<SpokenAgreement>(std::move(config), epoch.held, epoch.key, cipher_, now);
  for (const Slot slot : epoch.refused)
    agreement_->refused(slot, true);
  follow_notices(now);
}

void Membership::end_epoch(const Letter& letter) {
  notices_ = agreement_->hearing().notices();
  for (const Seat& seat : letter.value.seats) {
    notices_.forget(seat.slot);
    held_notices_.seated(seat.slot, letter.epoch);
  }
  past_ = {std::move(agreement_), callers_.stations()};
  callers_.seat(letter);
}

/// The lowest slot does it for all.
void Membership::invite_who_knocks(Instant now) {
  const AgreementConfig& epoch = agreement_->config();
  if (!grows_ || epoch.members.lowest() != self_) return;
  time_ = std::max(time_, now);
  if (!seats_for(epoch.room).empty()) agreement_->invite(now);
}

std::vector<Seat> Membership::seats_for(const MemberSet& open) const {
  const MemberSet allowed = grows_ ? open : open - agreement_->config().room;
  return callers_.seats_for(allowed, time_ - longest_between_knocks);
}

void Membership::take_notice(const LossNotice& notice, Instant now) {
  if (notice.slot < 0 || notice.slot >= MemberSet::most) return;
  time_ = std::max(time_, now);
  held_notices_.hold(notice);
  follow_notices(now);
}

void Membership::follow_notices(Instant now) {
  for (const LossNotice& notice : held_notices_.take(agreement_->config().epoch)) {
    if (notice.nobody_comes) agreement_->nobody_comes(notice.slot, now);
    agreement_->asked_for(notice.slot, notice.somebody_asks, now);
    if (notice.ended) agreement_->ended(notice.slot, now);
  }
}

void Membership::take_view(std::span<std::byte> datagram, Instant now) {
  time_ = now;
  if (!agreement_->take_datagram(datagram, now)) past_.take_datagram(datagram, now);
}

std::optional<Station> Membership::take_knock(std::span<std::byte> datagram, Instant now) {
  time_ = now;
  return callers_.take(datagram, now);
}

void Membership::handle_timeout(Instant now) {
  time_ = now;
  agreement_->handle_timeout(now);
}

std::optional<Transmit> Membership::next_datagram(Says says, std::span<std::byte> buffer, Instant now) {
  if (const auto view = past_.next_datagram(buffer, now)) return view;
  if (says == Says::last_epoch) return std::nullopt;
  if (says == Says::all)
    if (const auto view = next_view(buffer, now)) return view;
  return next_letter(buffer);
}

std::optional<Transmit> Membership::next_view(std::span<std::byte> buffer, Instant now) {
  const auto view = agreement_->next_datagram(buffer, now);
  if (!view) return std::nullopt;
  return Transmit{callers_.station_of(view->first), view->second};
}

std::optional<Transmit> Membership::next_letter(std::span<std::byte> buffer) {
  const auto letter = callers_.poll_letter(buffer);
  if (!letter) return std::nullopt;
  return Transmit{letter->first, letter->second};
}

}  // namespace lbsp::transport
