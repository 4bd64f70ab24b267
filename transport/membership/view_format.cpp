#include "transport/membership/view_format.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

constexpr std::uint8_t has_vote = 1;
constexpr std::uint8_t has_decision = 2;
constexpr std::size_t most_set_bytes = MemberSet::most / 8;

void write(WireWriter& out, const Ballot& ballot) {
  out.put(ballot.round);
  out.put(ballot.proposer);
}

Ballot read_ballot(WireReader& in) {
  const auto round = in.get<std::uint32_t>();
  return {round, in.get<std::uint16_t>()};
}

void write(WireWriter& out, const Seat& seat) {
  out.put(static_cast<std::uint16_t>(seat.slot));
  out.put(seat.spare);
  out.put(std::span<const std::byte>(seat.incarnation.bytes));
}

std::optional<Seat> read_seat(WireReader& in) {
  Seat seat{.slot = in.get<std::uint16_t>(), .spare = in.get<std::uint16_t>(), .incarnation = {}};
  const auto bytes = in.take(seat.incarnation.bytes.size());
  if (!in.ok() || seat.slot >= MemberSet::most) return std::nullopt;
  std::ranges::copy(bytes, seat.incarnation.bytes.begin());
  return seat;
}

/// Nothing was read, or what was is right.
bool read_rest(WireReader& in, std::uint8_t flags, View& view) {
  if ((flags & has_vote) != 0) {
    const Ballot ballot = read_ballot(in);
    auto value = read_decision(in);
    if (!value) return false;
    view.accepted = Accepted{ballot, std::move(*value)};
  }
  if ((flags & has_decision) != 0) {
    view.decided = read_decision(in);
    if (!view.decided) return false;
  }
  return in.ok();
}

}  // namespace

void write(WireWriter& out, const MemberSet& set) {
  std::array<std::byte, most_set_bytes> bytes{};
  std::size_t used = 0;
  set.for_each([&](Slot slot) {
    const auto place = static_cast<std::size_t>(slot);
    bytes[place / 8] |= std::byte{1} << (place % 8);
    used = place / 8 + 1;
  });
  out.put(static_cast<std::uint8_t>(used));
  out.put(std::span<const std::byte>(bytes).first(used));
}

std::optional<MemberSet> read_set(WireReader& in) {
  const std::size_t count = in.get<std::uint8_t>();
  if (count > most_set_bytes) return std::nullopt;
  const auto bytes = in.take(count);
  if (!in.ok() || (count > 0 && bytes.back() == std::byte{0})) return std::nullopt;
  MemberSet set;
  for (std::size_t place = 0; place < 8 * count; ++place) {
    if ((bytes[place / 8] >> (place % 8) & std::byte{1}) != std::byte{0}) set.add(static_cast<Slot>(place));
  }
  return set;
}

void write(WireWriter& out, const Decision& value) {
  write(out, value.members);
  out.put(value.boundary);
  out.put(static_cast<std::uint8_t>(value.seats.size()));
  for (const Seat& seat : value.seats)
    write(out, seat);
}

std::optional<Decision> read_decision(WireReader& in) {
  const auto members = read_set(in);
  if (!members) return std::nullopt;
  Decision value{.members = *members, .boundary = in.get<std::uint64_t>(), .seats = {}};
  const std::size_t seats = in.get<std::uint8_t>();
  if (!in.ok() || seats > Decision::most_seats) return std::nullopt;
  for (std::size_t i = 0; i < seats; ++i) {
    const auto seat = read_seat(in);
    if (!seat) return std::nullopt;
    value.seats.push_back(*seat);
  }
  return value;
}

void write(WireWriter& out, const View& view) {
  out.put(view.epoch);
  out.put(view.version);
  write(out, view.promised);
  out.put(static_cast<std::uint8_t>((view.accepted ? has_vote : 0) | (view.decided ? has_decision : 0)));
  out.put(view.held.older);
  out.put(view.held.newest);
  write(out, view.suspects);
  write(out, view.hears);
  write(out, view.ended);
  write(out, view.refused);
  if (view.accepted) {
    write(out, view.accepted->ballot);
    write(out, view.accepted->value);
  }
  if (view.decided) write(out, *view.decided);
}

std::optional<View> read_view(WireReader& in) {
  View view;
  view.epoch = in.get<std::uint32_t>();
  view.version = in.get<std::uint32_t>();
  view.promised = read_ballot(in);
  const auto flags = in.get<std::uint8_t>();
  view.held.older = in.get<std::uint64_t>();
  view.held.newest = in.get<std::uint64_t>();
  const auto suspects = read_set(in);
  const auto hears = suspects ? read_set(in) : std::nullopt;
  const auto ended = hears ? read_set(in) : std::nullopt;
  const auto refused = ended ? read_set(in) : std::nullopt;
  if (!refused || !in.ok() || (flags & ~(has_vote | has_decision)) != 0) return std::nullopt;
  view.suspects = *suspects;
  view.hears = *hears;
  view.ended = *ended;
  view.refused = *refused;
  if (!read_rest(in, flags, view)) return std::nullopt;
  return view;
}

}  // namespace lbsp::transport
