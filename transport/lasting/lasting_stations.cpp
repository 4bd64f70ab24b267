// Where the datagrams of a lasting endpoint go: to whichever process has a slot, or is to have one; and what is said of
// these processes.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "transport/ending/failure.hpp"
#include "transport/lasting/lasting_endpoint.hpp"

namespace lbsp::transport {

void LastingEndpoint::begin_to_last() {
  callers_.emplace(config_.key, config_.rank, MemberSet::most, config_.cipher);
  records_ = SlotRecords(config_);
}

/// While the members wait for it, somebody who knocks may be whom they wait for.
std::optional<Station> LastingEndpoint::take_knock(std::span<std::byte> datagram, Instant now) {
  if (!callers_ || leaving_) return std::nullopt;
  const auto from = callers_->take(datagram, now);
  forget_former_callers();
  if (!from) return std::nullopt;
  if (agreeing() && !endpoint_->failure()) agreement_->handle_timeout(now);
  follow(now);
  return from;
}

void LastingEndpoint::forget_former_callers() {
  for (const Station station : callers_->take_reused())
    routes_.forget(station);
}

/// The lowest slot does it for all.
void LastingEndpoint::invite_who_knocks(Instant now) {
  if (!grows_ || closing_ || rank_ != 0) return;
  time_ = std::max(time_, now);
  if (!callers_->seats_for(agreement_->config().room, now - longest_between_knocks).empty())
    agreement_->invite(now);
}

std::optional<Transmit> LastingEndpoint::next_letter(std::span<std::byte> buffer) {
  if (!callers_ || excluded_) return std::nullopt;
  const auto letter = callers_->poll_letter(buffer);
  return letter ? std::optional(Transmit{letter->first, letter->second}) : std::nullopt;
}

void LastingEndpoint::take_seats(const Decision& value, Epoch next) {
  for (const Seat& seat : value.seats) {
    notices_.forget(seat.slot);
    held_notices_.seated(seat.slot, next);
    records_.seat(seat);
  }
}

void LastingEndpoint::take_notice(const LossNotice& notice, Instant now) {
  if (!agreement_ || excluded_ || leaving_ || endpoint_->failure()) return;
  if (notice.slot < 0 || notice.slot >= MemberSet::most) return;
  time_ = std::max(time_, now);
  held_notices_.hold(notice);
  follow_notices(now);
  follow(now);
}

/// Nobody leaves a job that is outlived before all have begun to close it.
void LastingEndpoint::take_departures(const std::vector<Slot>& slots, Instant now) {
  if (agreement_ && (!closing_ || excluded_)) return;
  for (Rank rank = 0; rank < size(); ++rank) {
    const Slot slot = names_.slot(rank);
    if (std::ranges::find(slots, slot) != slots.end()) endpoint_->take_departure(rank, now);
  }
  if (!agreement_) return;
  time_ = std::max(time_, now);
  follow(now);
}

void LastingEndpoint::follow_notices(Instant now) {
  for (const LossNotice& notice : held_notices_.take(agreement_->config().epoch)) {
    if (notice.nobody_comes) agreement_->nobody_comes(notice.slot, now);
    agreement_->asked_for(notice.slot, notice.somebody_asks, now);
    if (notice.ended) agreement_->ended(notice.slot, now);
  }
}

/// By slots: ranks are others in the next epoch.
void LastingEndpoint::remember_paths() {
  records_.have_room(routes_.stations());
  for (Rank rank = 0; rank < size(); ++rank)
    if (rank != rank_) records_.remember(names_.slot(rank), endpoint_->path_to(rank));
}

void LastingEndpoint::limit_route(Station to, std::size_t bytes) {
  routes_.limit(to, bytes);
  if (const auto rank = names_.rank_at(to)) endpoint_->limit_route(*rank, bytes);
}

void LastingEndpoint::limit_datagrams(Station to, std::size_t bytes, Instant now) {
  routes_.limit(to, bytes);
  if (const auto rank = names_.rank_at(to)) endpoint_->limit_datagrams(*rank, bytes, now);
}

std::size_t LastingEndpoint::datagram_bytes(Station to) const {
  if (const auto rank = names_.rank_at(to)) return endpoint_->datagram_bytes(*rank);
  return routes_.bytes(to);
}

void LastingEndpoint::note_host_refusal(Station to, int error, Instant now) {
  routes_.refuse(to, error);
  tell_of_refusal(to, error, now);
}

void LastingEndpoint::tell_of_refusal(Station to, int error, Instant now) {
  const auto rank = names_.rank_at(to);
  if (!rank) return;
  endpoint_->note_host_refusal(*rank, error, now);
  if (agreement_) agreement_->refused(names_.slot(*rank), error != 0);
}

std::string LastingEndpoint::why_excluded() const {
  const Exclusion& exclusion = *agreement_->exclusion();
  const HostRefusal refusal = routes_.refusal(names_);
  if (refusal.to.empty()) return message(exclusion);
  std::string others = name_of(refusal.to.front(), records_.places());
  if (refusal.to.size() > 1) others += fmt::format(" and {} more", refusal.to.size() - 1);
  const std::string what = exclusion.cause == Exclusion::Cause::given_up
                               ? "the other ranks go on without this one"
                               : fmt::format("{} of {} ranks answer", exclusion.answering, exclusion.members);
  return fmt::format("{}, and its own host refuses to send to {} ({}): look at the {} there", what, others,
                     std::strerror(refusal.error), place_of_refusal(refusal.error));
}

std::vector<Station> LastingEndpoint::take_doubtful() {
  std::vector<Station> doubtful = endpoint_->take_doubtful();
  for (Station& station : doubtful)
    station = names_.station_at(station);
  return doubtful;
}

void LastingEndpoint::note_overflowed(std::uint64_t datagrams) {
  endpoint_->note_overflowed(datagrams - earlier_.traffic().datagrams_overflowed);
}

}  // namespace lbsp::transport
