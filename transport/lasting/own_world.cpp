#include "transport/lasting/own_world.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lbsp::transport {

OwnWorld::OwnWorld(EndpointConfig job, PlannerFactory planner, Membership* membership)
    : succession_(std::move(job), std::move(planner)),
      names_(membership != nullptr ? &membership->callers() : nullptr),
      ways_(names_, static_cast<std::size_t>(std::max(this->job().size, Rank{0})),
            this->job().options.datagram_bytes, membership) {}

void OwnWorld::enter_only(Instant now) {
  names_.enter_only(std::max(job().size, Rank{0}));
  rank_ = job().rank;
  begin(job(), now);
}

void OwnWorld::enter(const Letter& letter, Instant now) {
  succession_.begin_epoch(letter);
  const MemberSet members = letter.members();
  names_.enter(members);
  rank_ = members.below(job().rank);
  begin(succession_.endpoint_of(letter.epoch, rank_, names_), now);
}

void OwnWorld::begin(EndpointConfig config, Instant now) {
  endpoint_ = std::make_unique<Endpoint>(std::move(config), now);
  ways_.begin_epoch(*endpoint_, rank_, now);
}

Letter OwnWorld::end(Epoch epoch, const MemberSet& members, const Decision& value) {
  return succession_.end_epoch(epoch, members, value, *endpoint_, names_, ways_.stations());
}

OwnWorld::Taken OwnWorld::take(std::span<std::byte> datagram, const ClearHeader& header,
                               const Arrival& arrival) {
  const Rank source = names_.name_ranks(datagram, header);
  const std::uint64_t received = endpoint_->counters().datagrams_received;
  const auto heard_from = endpoint_->handle_datagram(datagram, arrival);
  Taken taken;
  if (endpoint_->counters().datagrams_received != received) taken.from = source;
  if (heard_from) taken.heard_from = HeardFrom{names_.station_at(heard_from->rank), heard_from->copy};
  return taken;
}

std::optional<Transmit> OwnWorld::poll_transmit(std::span<std::byte> buffer, Instant now) {
  auto transmit = endpoint_->poll_transmit(buffer, now);
  if (!transmit) return std::nullopt;
  names_.name_slots(buffer.first(transmit->bytes));
  transmit->to = names_.station_at(transmit->to);
  return transmit;
}

void OwnWorld::note_overflowed(std::uint64_t datagrams) {
  endpoint_->note_overflowed(datagrams - succession_.earlier().traffic().datagrams_overflowed);
}

std::vector<Slot> OwnWorld::awaited() const {
  std::vector<Slot> awaited;
  for (const Rank rank : endpoint_->awaited())
    awaited.push_back(names_.slot(rank));
  return awaited;
}

TrafficCounters OwnWorld::counters() const {
  TrafficCounters sum = succession_.earlier().traffic();
  sum += endpoint_->counters();
  return sum;
}

}  // namespace lbsp::transport
