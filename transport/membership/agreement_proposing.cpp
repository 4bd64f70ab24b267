// What the member that leads an agreement proposes, and for whom it waits before.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "transport/membership/agreement.hpp"

namespace lbsp::transport {
namespace {

/// For so many, the one that leads waits for those whom it has missed and others have not.
constexpr int round_trips_to_report = 3;
/// Of the peer timeout: for so long nobody is left out who reports.
constexpr int parts_of_doubt = 4;

}  // namespace

/// When all who are not missed have promised this process's ballot, and are a quorum, it is the first to vote.
void Agreement::propose(Instant now) {
  const Ballot ballot = view_.promised;
  if (ballot.proposer != config_.self || (view_.accepted && view_.accepted->ballot == ballot)) return;
  view_.hears = silence_.heard_within(config_.peer_timeout, now);
  view_.refused = refused_;
  const std::vector<Report> reports = reports_at(ballot, now);
  MemberSet reporters;
  for (const Report& report : reports)
    reporters.add(report.from);
  if (!reporters.contains(config_.members - view_.suspects)) return;
  if (!(notices_.told() & (config_.members - view_.suspects)).empty())
    return;  // it is known soon whether they live
  if (!config_.quorum(reporters, config_.members)) return;
  if (std::exchange(enough_at_ballot_, ballot) != ballot) enough_since_ = now;
  if (awaits_others_members(reporters, reports, now)) return;
  auto value = value_after(reports, config_);
  if (value && is_doubtful(*value, reporters, now)) return;
  if (!value || awaits_newcomers(*value, now)) return;
  view_.accepted = Accepted{ballot, std::move(*value)};
  note_change(now);
}

/// Whom this process has missed while it was cut off, most of the others may have heard all the time. It is back when
/// enough report to it.
bool Agreement::awaits_others_members(const MemberSet& reporters, const std::vector<Report>& reports,
                                      Instant now) const {
  if (now - std::max(progress_at_, enough_since_) >= round_trips_to_report * config_.round_trip) return false;
  bool any = false;
  (config_.members - reporters).for_each([&](Slot slot) {
    const auto hear_it = std::ranges::count_if(reports, [&](const Report& report) {
      return report.from != config_.self && report.view->hears.has(slot) &&
             !(report.view->suspects | report.view->ended).has(slot);
    });
    any = any || 2 * static_cast<std::size_t>(hear_it) > reports.size() - 1;
  });
  return any;
}

/// Who is cut off misses the others one after the other, and who is back hears them one after the other: what it said
/// in between does not end the doubt, if it is heard. The members may have agreed for long by then, on another.
bool Agreement::is_doubtful(const Decision& value, const MemberSet& reporters, Instant now) {
  const MemberSet left_out = reporters - value.members;
  if (left_out.empty()) {
    doubted_ = {};
    return false;
  }
  // This process may be the first to miss two that ended after they had reported, and would be left out for it.
  if (!doubted_.contains(left_out)) {
    doubted_ = left_out;
    doubtful_since_ = now;
  }
  const Duration part = config_.peer_timeout / parts_of_doubt;
  const Instant over = doubtful_since_ + part;
  return now < over || is_just_back(now) || (now < over + part && !has_news_since(over, reporters, now));
}

bool Agreement::has_news_since(Instant begin, const MemberSet& reporters, Instant now) const {
  MemberSet others = reporters & silence_.heard_within(config_.peer_timeout, now);
  for (std::size_t slot = 0; slot < viewed_at_.size(); ++slot)
    if (viewed_at_[slot] >= begin) others.remove(static_cast<Slot>(slot));
  return (others - MemberSet{config_.self}).empty();
}

bool Agreement::awaits_newcomers(const Decision& value, Instant now) {
  left_out_ = config_.members - value.members;
  const MemberSet to_come =
      left_out_ - notices_.vacant() - (notices_.asked_in_vain(now) - new_members_after(value));
  const auto lost = static_cast<std::size_t>(to_come.count());
  const auto taken = static_cast<std::size_t>(
      std::ranges::count_if(value.seats, [&](const Seat& seat) { return to_come.has(seat.slot); }));
  return taken < std::min(lost, Decision::most_seats) && value.seats.size() < Decision::most_seats &&
         now - viewing_since_ < config_.newcomer_wait;
}

/// But not those of processes that have said theirs and ended.
std::vector<Report> Agreement::reports_at(const Ballot& ballot, Instant now) const {
  std::vector<Report> reports{{config_.self, &view_}};
  for (std::size_t slot = 0; slot < views_.size(); ++slot) {
    if (views_[slot] && views_[slot]->promised == ballot && !notices_.is_over(static_cast<Slot>(slot), now))
      reports.push_back({static_cast<Slot>(slot), &*views_[slot]});
  }
  return reports;
}

}  // namespace lbsp::transport
