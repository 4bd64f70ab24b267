#include "transport/membership/voting.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// Nothing got on for so many round trips: somebody else leads.
constexpr int round_trips_to_lead = 4;

}  // namespace

/// A promise counts whoever tells of it, and so does a vote: each ballot has one value only.
bool Voting::take(Slot from, const View& view, Instant now) {
  if (!views_.take(from, view, now)) return false;
  View& own = own_.view;
  if (view.promised > own.promised) {
    own.promised = view.promised;
    own_.note_change(now);
  }
  const bool votes = view.accepted && view.accepted->ballot >= own.promised &&
                     (!own.accepted || view.accepted->ballot > own.accepted->ballot);
  if (!votes) return true;
  own.accepted = view.accepted;
  own.promised = view.accepted->ballot;
  own_.note_change(now);
  return true;
}

void Voting::promise_the_lowest(Instant now) {
  const Slot leader = (not_missed() - hearing_.notices().told()).lowest();
  own_.view.promised = std::max(own_.view.promised, Ballot{1, static_cast<std::uint16_t>(leader)});
  own_.note_change(now);
}

std::optional<Decision> Voting::go_on(Instant viewing_since, Instant now) {
  take_lead(now);
  propose(viewing_since, now);
  const auto& accepted = own_.view.accepted;
  if (!accepted) return std::nullopt;
  const MemberSet voters = views_.who_voted(accepted->ballot) | MemberSet{config_.self};
  if (!config_.quorum(voters, config_.members)) return std::nullopt;
  return accepted->value;
}

/// If another's ballot does not get on, the lowest that is not missed begins a higher one.
void Voting::take_lead(Instant now) {
  View& own = own_.view;
  if (own.promised.proposer == config_.self) return;
  if (not_missed().lowest() != config_.self) return;
  if (now - own_.changed_at < round_trips_to_lead * config_.round_trip) return;
  if (!config_.quorum(hearing_.not_silent(now), config_.members)) return;
  own.promised = {own.promised.round + 1, static_cast<std::uint16_t>(config_.self)};
  own_.note_change(now);
}

/// When all who are not missed have promised this process's ballot, and are a quorum, it is the first to vote.
void Voting::propose(Instant viewing_since, Instant now) {
  View& own = own_.view;
  const Ballot ballot = own.promised;
  if (ballot.proposer != config_.self || (own.accepted && own.accepted->ballot == ballot)) return;
  own_.look(hearing_, now);
  const std::vector<Report> reports = reports_at(ballot, now);
  const MemberSet reporters = reporters_of(reports);
  if (!reporters.contains(not_missed())) return;
  if (!(hearing_.notices().told() & not_missed()).empty()) return;  // it is known soon whether they live
  if (!config_.quorum(reporters, config_.members)) return;
  auto value = deliberation_.value_to_propose(
      ballot, reports, {config_, hearing_, views_, viewing_since, own_.changed_at}, now);
  if (!value) return;
  own.accepted = Accepted{ballot, std::move(*value)};
  own_.note_change(now);
}

/// But not those of processes that have said theirs and ended.
std::vector<Report> Voting::reports_at(const Ballot& ballot, Instant now) const {
  std::vector<Report> reports{{config_.self, &own_.view}};
  views_.who_promised(ballot).for_each([&](Slot slot) {
    if (!hearing_.notices().is_over(slot, now)) reports.push_back({slot, &views_.of(slot)});
  });
  return reports;
}

}  // namespace lbsp::transport
