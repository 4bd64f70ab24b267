#include "transport/lasting/lasting_endpoint.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {

LastingEndpoint::LastingEndpoint(EndpointConfig config, PlannerFactory planner, Instant now)
    : succession_(std::move(config), std::move(planner)),
      membership_(job().options.outlives_ranks ? std::make_unique<Membership>(job()) : nullptr),
      names_(membership_ ? &membership_->callers() : nullptr),
      ways_(names_, static_cast<std::size_t>(std::max(job().size, Rank{0})), job().options.datagram_bytes,
            membership_.get()),
      sleep_(job().options.peer_timeout) {
  if (membership_) {
    enter(0, MemberSet::first(job().size), {}, now);
    return;
  }
  names_.enter_only(std::max(job().size, Rank{0}));
  rank_ = job().rank;
  endpoint_ = std::make_unique<Endpoint>(job(), now);
  ways_.begin_epoch(*endpoint_, rank_, now);
}

void LastingEndpoint::grow() {
  if (membership_) membership_->grow();
}

/// What an exchange of this epoch is begun with.
void LastingEndpoint::begun(Instant now) {
  membership_->agreement().hold(held_.begin_exchange());
  if (held_.all_have_newest() && !closing_) membership_->invite_who_knocks(now);
  follow(now);
}

void LastingEndpoint::begin_early(const std::vector<Rank>& sources, Instant now) {
  if (agreeing()) return;
  endpoint_->begin_early(sources, now);
  follow(now);
}

bool LastingEndpoint::exchange_complete() const {
  return !change_ && !agreeing() && endpoint_->exchange_complete();
}

/// One more exchange of nothing: who completes it knows that all others have completed the last one.
void LastingEndpoint::begin_finish(Instant now) {
  if (!membership_) return endpoint_->begin_finish(now);
  closing_ = true;
  begin([&](Endpoint& endpoint) { endpoint.begin_exchange(std::vector<Bytes>(names_.slots().size()), now); },
        now);
}

void LastingEndpoint::abort(std::string_view reason, Instant now) {
  if (!excluded_) endpoint_->abort(reason, now);
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
  if (membership_ && (!closing_ || excluded_)) return;
  for (Rank rank = 0; rank < size(); ++rank) {
    const Slot slot = names_.slot(rank);
    if (std::ranges::find(slots, slot) != slots.end()) endpoint_->take_departure(rank, now);
  }
  follow(now);
}

std::optional<Station> LastingEndpoint::handle_datagram(std::span<std::byte> datagram,
                                                        const Arrival& arrival) {
  if (!membership_) return endpoint_->handle_datagram(datagram, arrival);
  const auto header = read_clear_header(datagram);
  if (!header || excluded_) return std::nullopt;
  const Instant now = arrival.at;
  sleep_.look(now);
  if (header->kind == DatagramKind::knock) return take_knock(datagram, now);
  if (header->kind == DatagramKind::view) {
    if (!leaving_) membership_->take_view(datagram, now);
    follow(now);
    return std::nullopt;
  }
  const Rank source = names_.name_ranks(datagram, *header);
  const std::uint64_t received = endpoint_->counters().datagrams_received;
  const auto newest_of = endpoint_->handle_datagram(datagram, arrival);
  const bool authentic = endpoint_->counters().datagrams_received != received;
  if (authentic) {
    membership_->agreement().heard(header->source, now);
    membership_->agreement().answers_take(header->source, endpoint_->answers_take(source));
  }
  const auto newest_from = newest_of ? std::optional(names_.station_at(*newest_of)) : std::nullopt;
  follow(now);
  return newest_from;
}

/// While the members wait for it, somebody who knocks may be whom they wait for.
std::optional<Station> LastingEndpoint::take_knock(std::span<std::byte> datagram, Instant now) {
  if (leaving_) return std::nullopt;
  const auto from = membership_->take_knock(datagram, now);
  ways_.forget(membership_->take_reused());
  if (!from) return std::nullopt;
  if (takes_part() && agreeing()) membership_->handle_timeout(now);
  follow(now);
  return from;
}

std::optional<Transmit> LastingEndpoint::poll_transmit(std::span<std::byte> buffer, Instant now) {
  if (!membership_) return endpoint_->poll_transmit(buffer, now);
  const auto says = excluded_  ? Membership::Says::last_epoch
                    : leaving_ ? Membership::Says::letters
                               : Membership::Says::all;
  if (const auto said = membership_->next_datagram(says, buffer, now)) return said;
  // What is sent while the members agree is in vain, unless it ends the job.
  if (excluded_ || sends_in_vain()) return std::nullopt;
  auto transmit = endpoint_->poll_transmit(buffer, now);
  if (!transmit) return std::nullopt;
  names_.name_slots(buffer.first(transmit->bytes));
  transmit->to = names_.station_at(transmit->to);
  return transmit;
}

Instant LastingEndpoint::next_timeout() const {
  if (!membership_) return endpoint_->next_timeout();
  Instant next = membership_->past().next_timeout();
  if (excluded_) return next;
  if (takes_part()) next = std::min(next, membership_->agreement().next_timeout());
  return sends_in_vain() ? next : std::min(next, endpoint_->next_timeout());
}

void LastingEndpoint::handle_timeout(Instant now) {
  if (!membership_) return endpoint_->handle_timeout(now);
  if (excluded_) return;
  sleep_.look(now);
  if (takes_part() && membership_->agreement().next_timeout() <= now) membership_->handle_timeout(now);
  if (!sends_in_vain() && endpoint_->next_timeout() <= now) endpoint_->handle_timeout(now);
  follow(now);
}

void LastingEndpoint::note_overflowed(std::uint64_t datagrams) {
  endpoint_->note_overflowed(datagrams - succession_.earlier().traffic().datagrams_overflowed);
}

std::vector<Slot> LastingEndpoint::awaited() const {
  std::vector<Slot> awaited;
  for (const Rank rank : endpoint_->awaited())
    awaited.push_back(names_.slot(rank));
  return awaited;
}

TrafficCounters LastingEndpoint::counters() const {
  TrafficCounters sum = succession_.earlier().traffic();
  sum += endpoint_->counters();
  return sum;
}

}  // namespace lbsp::transport
