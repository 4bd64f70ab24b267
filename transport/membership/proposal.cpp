#include "transport/membership/proposal.hpp"

#include <algorithm>
#include <tuple>

namespace lbsp::transport {
namespace {

bool hears(const Report& one, Slot other) {
  return one.from == other || one.view->hears.has(other);
}

/// Its host alone keeps these two apart.
bool is_to_blame(const Report& one, const Report& for_the_other) {
  return one.view->refused.has(for_the_other.from) && !for_the_other.view->refused.has(one.from);
}

/// How many of the members this one does not hear, or is not heard by.
Slot misses(const Report& one, const std::vector<Report>& reports, const MemberSet& members, Misses which) {
  return static_cast<Slot>(std::ranges::count_if(reports, [&](const Report& other) {
    const bool counts = which == Misses::all || !is_to_blame(other, one);
    return members.has(other.from) && counts && !(hears(one, other.from) && hears(other, one.from));
  }));
}

/// To how many of the members this one's own host refuses to send: they may be sound.
Slot refused_by_host(const Report& one, const MemberSet& members) {
  return (one.view->refused & members).count();
}

/// How many have missed this one. Of two that have not heard each other lately, it tells who was silent.
Slot missed_by(const Report& one, const std::vector<Report>& reports) {
  return static_cast<Slot>(std::ranges::count_if(
      reports, [&](const Report& other) { return other.view->suspects.has(one.from); }));
}

/// Who is to be left out first; nobody if all members hear each other.
std::optional<Slot> most_missing(const std::vector<Report>& reports, const MemberSet& members,
                                 const MemberSet& new_here, Misses which) {
  std::tuple<Slot, bool, Slot, Slot, Slot> worst{0, false, 0, 0, -1};
  for (const Report& report : reports) {
    if (!members.has(report.from)) continue;
    const Slot missed = misses(report, reports, members, which);
    if (missed > 0)
      worst = std::max(worst, {missed, new_here.has(report.from), refused_by_host(report, members),
                               missed_by(report, reports), report.from});
  }
  const Slot slot = std::get<4>(worst);
  return slot < 0 ? std::nullopt : std::optional(slot);
}

/// A host that refuses to send to a sound rank costs that rank only where too few could go on without the host's own.
MemberSet who_goes_on(const std::vector<Report>& reports, const AgreementConfig& config) {
  const MemberSet sound = all_hear_each_other(reports, config.new_here, Misses::by_own_fault);
  if (config.quorum(sound, config.members)) return sound;
  return all_hear_each_other(reports, config.new_here, Misses::all);
}

const Accepted* highest_vote(const std::vector<Report>& reports) {
  const Accepted* highest = nullptr;
  for (const Report& report : reports) {
    const auto& vote = report.view->accepted;
    if (vote && (highest == nullptr || vote->ballot > highest->ballot)) highest = &*vote;
  }
  return highest;
}

}  // namespace

bool makes_sense(const Decision& value, const AgreementConfig& config) {
  MemberSet open = (config.members - value.members) | config.room;
  for (const Seat& seat : value.seats) {
    if (!open.has(seat.slot)) return false;
    open.remove(seat.slot);
  }
  return config.members.contains(value.members) && config.quorum(value.members, config.members);
}

std::optional<Decision> value_after(const std::vector<Report>& reports, const AgreementConfig& config) {
  if (const Accepted* vote = highest_vote(reports)) return vote->value;
  Decision value{.members = who_goes_on(reports, config), .boundary = 0, .seats = {}};
  if (!config.quorum(value.members, config.members)) return std::nullopt;
  value.boundary = common_boundary(reports, value.members);
  if (config.seats) value.seats = config.seats((config.members - value.members) | config.room);
  if (value.seats.size() > Decision::most_seats) value.seats.resize(Decision::most_seats);
  return value;
}

MemberSet all_hear_each_other(const std::vector<Report>& reports, const MemberSet& new_here, Misses which) {
  MemberSet members;
  for (const Report& report : reports)
    members.add(report.from);
  while (const auto worst = most_missing(reports, members, new_here, which))
    members.remove(*worst);
  return members;
}

std::uint64_t common_boundary(const std::vector<Report>& reports, const MemberSet& members) {
  std::uint64_t newest = 0;
  for (const Report& candidate : reports) {
    for (const std::uint64_t boundary : {candidate.view->held.older, candidate.view->held.newest}) {
      const bool common = std::ranges::all_of(reports, [&](const Report& report) {
        return !members.has(report.from) || report.view->held.has(boundary);
      });
      if (common) newest = std::max(newest, boundary);
    }
  }
  return newest;
}

}  // namespace lbsp::transport
