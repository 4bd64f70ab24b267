#include "transport/membership/deliberation.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lbsp::transport {
namespace {

/// For so many, the one that leads waits for those whom it has missed and others have not.
constexpr int round_trips_to_report = 3;
/// Of the peer timeout: for so long nobody is left out who reports.
constexpr int parts_of_doubt = 4;

/// Whether all who report and are heard have said something new since then.
bool has_news_since(Instant begin, const MemberSet& reporters, const Deliberation::Known& known,
                    Instant now) {
  const MemberSet heard = reporters & known.hearing.not_silent(now);
  return (heard - known.views.who_spoke_since(begin) - MemberSet{known.config.self}).empty();
}

}  // namespace

MemberSet reporters_of(const std::vector<Report>& reports) {
  MemberSet reporters;
  for (const Report& report : reports)
    reporters.add(report.from);
  return reporters;
}

std::optional<Decision> Deliberation::value_to_propose(const Ballot& ballot,
                                                       const std::vector<Report>& reports, const Known& known,
                                                       Instant now) {
  const MemberSet reporters = reporters_of(reports);
  if (std::exchange(enough_at_ballot_, ballot) != ballot) enough_since_ = now;
  if (awaits_others_members(reporters, reports, known, now)) return std::nullopt;
  auto value = value_after(reports, known.config);
  if (!value || is_doubtful(*value, reporters, known, now) || awaits_newcomers(*value, known, now))
    return std::nullopt;
  return value;
}

void Deliberation::forgive(Duration slept) {
  if (doubtful_since_ != never) doubtful_since_ += slept;
  enough_since_ += slept;
}

/// Whom this process has missed while it was cut off, most of the others may have heard all the time. It is back when
/// enough report to it.
bool Deliberation::awaits_others_members(const MemberSet& reporters, const std::vector<Report>& reports,
                                         const Known& known, Instant now) const {
  const Instant since = std::max(known.progress_at, enough_since_);
  if (now - since >= round_trips_to_report * known.config.round_trip) return false;
  bool any = false;
  (known.config.members - reporters).for_each([&](Slot slot) {
    const auto hear_it = std::ranges::count_if(reports, [&](const Report& report) {
      return report.from != known.config.self && report.view->hears.has(slot) &&
             !(report.view->suspects | report.view->ended).has(slot);
    });
    any = any || 2 * static_cast<std::size_t>(hear_it) > reports.size() - 1;
  });
  return any;
}

/// Who is cut off misses the others one after the other, and who is back hears them one after the other: what it said
/// in between does not end the doubt, if it is heard. The members may have agreed for long by then, on another.
bool Deliberation::is_doubtful(const Decision& value, const MemberSet& reporters, const Known& known,
                               Instant now) {
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
  const Duration part = known.config.peer_timeout / parts_of_doubt;
  const Instant over = doubtful_since_ + part;
  return now < over || known.hearing.reads_still(now) ||
         (now < over + part && !has_news_since(over, reporters, known, now));
}

bool Deliberation::awaits_newcomers(const Decision& value, const Known& known, Instant now) {
  left_out_ = known.config.members - value.members;
  const Notices& notices = known.hearing.notices();
  const MemberSet to_come =
      left_out_ - notices.vacant() - (notices.asked_in_vain(now) - new_members_after(value));
  const auto lost = static_cast<std::size_t>(to_come.count());
  const auto taken = static_cast<std::size_t>(
      std::ranges::count_if(value.seats, [&](const Seat& seat) { return to_come.has(seat.slot); }));
  return taken < std::min(lost, Decision::most_seats) && value.seats.size() < Decision::most_seats &&
         now - known.viewing_since < known.config.newcomer_wait;
}

}  // namespace lbsp::transport
