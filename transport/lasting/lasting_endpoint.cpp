#include "transport/lasting/lasting_endpoint.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {

LastingEndpoint::LastingEndpoint(EndpointConfig config, PlannerFactory planner, Instant now)
    : membership_(config.options.outlives_ranks ? std::make_unique<Membership>(config) : nullptr),
      world_(std::move(config), std::move(planner), membership_.get()),
      leave_(world_.job().options.peer_timeout) {
  if (!membership_) {
    world_.enter_only(now);
    return;
  }
  enter({.epoch = 0,
         .key = world_.job().key,
         .before = {},
         .value = {.members = MemberSet::first(world_.job().size)}},
        now);
}

void LastingEndpoint::grow() {
  if (membership_) membership_->grow();
}

/// What an exchange of this epoch is begun with.
void LastingEndpoint::begun(Instant now) {
  membership_->agreement().hold(held_.begin_exchange());
  if (held_.all_have_newest() && !leave_.is_closing()) membership_->invite_who_knocks(now);
  follow(now);
}

void LastingEndpoint::begin_early(const std::vector<Rank>& sources, Instant now) {
  if (agreeing()) return;
  world_.endpoint().begin_early(sources, now);
  follow(now);
}

bool LastingEndpoint::exchange_complete() const {
  return !change_ && !agreeing() && world_.endpoint().exchange_complete();
}

void LastingEndpoint::begin_finish(Instant now) {
  if (!membership_) return world_.endpoint().begin_finish(now);
  leave_.begin_closing();
  const auto size = static_cast<std::size_t>(world_.size());
  begin([&](Endpoint& endpoint) { endpoint.begin_exchange(std::vector<Bytes>(size), now); }, now);
}

void LastingEndpoint::abort(std::string_view reason, Instant now) {
  if (!excluded_) world_.endpoint().abort(reason, now);
}

WorldChange LastingEndpoint::take_change() {
  return *std::exchange(change_, std::nullopt);
}

void LastingEndpoint::take_notice(const LossNotice& notice, Instant now) {
  if (!takes_part()) return;
  membership_->take_notice(notice, now);
  follow(now);
}

/// Nobody leaves a job that is outlived before all have begun to close it.
void LastingEndpoint::take_departures(const std::vector<Slot>& slots, Instant now) {
  if (membership_ && (!leave_.is_closing() || excluded_)) return;
  for (Rank rank = 0; rank < world_.size(); ++rank) {
    const Slot slot = world_.slots()[static_cast<std::size_t>(rank)];
    if (std::ranges::find(slots, slot) != slots.end()) world_.endpoint().take_departure(rank, now);
  }
  follow(now);
}

std::optional<HeardFrom> LastingEndpoint::handle_datagram(std::span<std::byte> datagram,
                                                          const Arrival& arrival) {
  if (!membership_) return world_.endpoint().handle_datagram(datagram, arrival);
  const auto header = read_clear_header(datagram);
  if (!header || excluded_) return std::nullopt;
  const Instant now = arrival.at;
  leave_.look(now);
  if (header->kind == DatagramKind::knock) return take_knock(datagram, now);
  if (header->kind == DatagramKind::view) {
    if (!leave_.is_leaving()) membership_->take_view(datagram, now);
    follow(now);
    return std::nullopt;
  }
  const auto [from, heard_from] = world_.take(datagram, *header, arrival);
  if (from) {
    membership_->agreement().heard(header->source, now);
    membership_->agreement().answers_take(header->source, world_.endpoint().answers_take(*from));
  }
  follow(now);
  return heard_from;
}

/// While the members wait for it, somebody who knocks may be whom they wait for.
std::optional<HeardFrom> LastingEndpoint::take_knock(std::span<std::byte> datagram, Instant now) {
  if (leave_.is_leaving()) return std::nullopt;
  const auto from = membership_->take_knock(datagram, now);
  world_.ways().forget(membership_->take_reused());
  if (!from) return std::nullopt;
  world_.ways().note_knock(*from);
  if (takes_part() && agreeing()) membership_->handle_timeout(now);
  follow(now);
  return HeardFrom{*from};
}

std::optional<Transmit> LastingEndpoint::poll_transmit(std::span<std::byte> buffer, Instant now) {
  if (!membership_) return world_.endpoint().poll_transmit(buffer, now);
  const auto says = excluded_             ? Membership::Says::last_epoch
                    : leave_.is_leaving() ? Membership::Says::letters
                                          : Membership::Says::all;
  if (const auto said = membership_->next_datagram(says, buffer, now)) return said;
  // What is sent while the members agree is in vain, unless it ends the job.
  if (excluded_ || sends_in_vain()) return std::nullopt;
  return world_.poll_transmit(buffer, now);
}

Instant LastingEndpoint::next_timeout() const {
  if (!membership_) return world_.endpoint().next_timeout();
  Instant next = membership_->past().next_timeout();
  if (excluded_) return next;
  if (takes_part()) next = std::min(next, membership_->agreement().next_timeout());
  return sends_in_vain() ? next : std::min(next, world_.endpoint().next_timeout());
}

void LastingEndpoint::handle_timeout(Instant now) {
  if (!membership_) return world_.endpoint().handle_timeout(now);
  if (excluded_) return;
  leave_.look(now);
  if (takes_part() && membership_->agreement().next_timeout() <= now) membership_->handle_timeout(now);
  if (!sends_in_vain() && world_.endpoint().next_timeout() <= now) world_.endpoint().handle_timeout(now);
  follow(now);
}

Missing LastingEndpoint::missing() const {
  if (!membership_) return {};
  const Agreement& agreement = membership_->agreement();
  Missing missing{.epoch = agreement.config().epoch};
  if (!agreeing()) return missing;
  missing.ranks = in_order(agreement.missed());
  missing.refusal = world_.ways().refusal();
  return missing;
}

}  // namespace lbsp::transport
