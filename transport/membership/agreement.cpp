#include "transport/membership/agreement.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// Who hears enough members that do not hear each other waits so many times as long as who hears too few.
constexpr int longest_agreement = 8;
/// Nothing got on for so many round trips: somebody else leads.
constexpr int round_trips_to_lead = 4;

/// After a split of the network, both sides know by then who is missing, and have told each other what they can.
Duration patience(const AgreementConfig& config) {
  return config.peer_timeout + 3 * config.round_trip;
}

}  // namespace

Agreement::Agreement(AgreementConfig config, Held held, Instant now)
    : config_(std::move(config)),
      hearing_(config_, now),
      announcement_(config_.members - MemberSet{config_.self}, config_.round_trip),
      views_(config_.members) {
  view_.epoch = config_.epoch;
  view_.held = held;
  if (!(hearing_.notices().told() & config_.members).empty()) call_for_votes(now);
}

void Agreement::heard(Slot from, Instant now) {
  look_at_clock(now);
  if (from == config_.self || !config_.members.has(from)) return;
  hearing_.heard(from, now);
  // Who still speaks in this epoch has not been told that it is over.
  if (stage_ == Stage::decided) announcement_.answer(from, now);
}

void Agreement::answers_take(Slot from, Duration round_trip) {
  if (from == config_.self || !config_.members.has(from)) return;
  hearing_.answers_take(from, round_trip);
}

void Agreement::refused(Slot to, bool is_refused) {
  if (is_refused && config_.members.has(to)) {
    refused_.add(to);
  } else {
    refused_.remove(to);
  }
}

void Agreement::hold(const Held& held) {
  if (stage_ == Stage::run) view_.held = held;
}

void Agreement::invite(Instant now) {
  if (stage_ != Stage::run) return;
  call_for_votes(now);
  go_on(now);
}

void Agreement::ended(Slot slot, Instant now) {
  if (stage_ == Stage::decided || stage_ == Stage::out) return;
  if (slot == config_.self || !config_.members.has(slot)) return;
  look_at_clock(now);
  if (!hearing_.notices().tell(slot, now)) return;
  call_for_votes(now);
  go_on(now);
}

void Agreement::nobody_comes(Slot slot, Instant now) {
  hearing_.notices().vacate(slot);
  if (stage_ == Stage::viewing) go_on(now);
}

void Agreement::asked_for(Slot slot, bool somebody_asks, Instant now) {
  hearing_.notices().asked_for(slot, somebody_asks ? now : never);
}

void Agreement::take(Slot from, const View& view, Instant now) {
  if (from == config_.self || view.epoch != config_.epoch || !config_.members.has(from)) return;
  if (!view.decided && view.promised.round == 0) return;
  if (view.decided && !makes_sense(*view.decided, config_)) return;
  if (view.accepted && !makes_sense(view.accepted->value, config_)) return;
  if (!view.decided) heard(from, now);
  if (stage_ == Stage::decided || stage_ == Stage::out) return;
  look_at_clock(now);
  if (view.decided) return decide(*view.decided, now);
  if (!views_.take(from, view, now)) return;
  merge(view, now);
  go_on(now);
}

/// If this process was stopped, what the others sent still waits: its sleep is not their silence.
void Agreement::look_at_clock(Instant now) {
  const Duration slept = hearing_.look(now);
  if (slept == Duration{0}) return;
  deliberation_.forgive(slept);
  viewing_since_ += slept;
  progress_at_ += slept;
}

/// A promise counts whoever tells of it, and so does a vote: each ballot has one value only.
void Agreement::merge(const View& from, Instant now) {
  begin_viewing(now);
  (from.ended & (config_.members - MemberSet{config_.self})).for_each([&](Slot slot) {
    if (hearing_.notices().tell(slot, now)) note_change(now);
  });
  if (from.promised > view_.promised) {
    view_.promised = from.promised;
    note_change(now);
  }
  const bool votes = from.accepted && from.accepted->ballot >= view_.promised &&
                     (!view_.accepted || from.accepted->ballot > view_.accepted->ballot);
  if (!votes) return;
  view_.accepted = from.accepted;
  view_.promised = from.accepted->ballot;
  note_change(now);
}

void Agreement::begin_viewing(Instant now) {
  if (stage_ != Stage::run) return;
  stage_ = Stage::viewing;
  viewing_since_ = now;
  note_change(now);
}

void Agreement::suspect_silent(Instant now) {
  const MemberSet missed_by_some = views_.suspects();
  (config_.members - view_.suspects - MemberSet{config_.self}).for_each([&](Slot slot) {
    if (hearing_.misses(slot, missed_by_some.has(slot), now)) suspect(slot, now);
  });
}

void Agreement::suspect(Slot slot, Instant now) {
  begin_viewing(now);
  view_.suspects.add(slot);
  promise_the_lowest(now);
}

void Agreement::call_for_votes(Instant now) {
  begin_viewing(now);
  promise_the_lowest(now);
}

void Agreement::promise_the_lowest(Instant now) {
  const Slot leader = (config_.members - view_.suspects - hearing_.notices().told()).lowest();
  view_.promised = std::max(view_.promised, Ballot{1, static_cast<std::uint16_t>(leader)});
  note_change(now);
}

void Agreement::go_on(Instant now) {
  suspect_silent(now);
  if (stage_ != Stage::viewing) return;
  take_lead(now);
  propose(now);
  learn(now);
}

/// If another's ballot does not get on, the lowest that is not missed begins a higher one.
void Agreement::take_lead(Instant now) {
  if (view_.promised.proposer == config_.self) return;
  if ((config_.members - view_.suspects).lowest() != config_.self) return;
  if (now - progress_at_ < round_trips_to_lead * config_.round_trip) return;
  if (!config_.quorum(hearing_.not_silent(now), config_.members)) return;
  view_.promised = {view_.promised.round + 1, static_cast<std::uint16_t>(config_.self)};
  note_change(now);
}

/// When all who are not missed have promised this process's ballot, and are a quorum, it is the first to vote.
void Agreement::propose(Instant now) {
  const Ballot ballot = view_.promised;
  if (ballot.proposer != config_.self || (view_.accepted && view_.accepted->ballot == ballot)) return;
  view_.hears = hearing_.not_silent(now);
  view_.refused = refused_;
  const std::vector<Report> reports = reports_at(ballot, now);
  const MemberSet reporters = reporters_of(reports);
  if (!reporters.contains(config_.members - view_.suspects)) return;
  if (!(hearing_.notices().told() & (config_.members - view_.suspects)).empty())
    return;  // it is known soon whether they live
  if (!config_.quorum(reporters, config_.members)) return;
  auto value = deliberation_.value_to_propose(ballot, reports,
                                              {config_, hearing_, views_, viewing_since_, progress_at_}, now);
  if (!value) return;
  view_.accepted = Accepted{ballot, std::move(*value)};
  note_change(now);
}

/// But not those of processes that have said theirs and ended.
std::vector<Report> Agreement::reports_at(const Ballot& ballot, Instant now) const {
  std::vector<Report> reports{{config_.self, &view_}};
  views_.who_promised(ballot).for_each([&](Slot slot) {
    if (!hearing_.notices().is_over(slot, now)) reports.push_back({slot, &views_.of(slot)});
  });
  return reports;
}

void Agreement::learn(Instant now) {
  if (!view_.accepted) return;
  const MemberSet voters = views_.who_voted(view_.accepted->ballot) | MemberSet{config_.self};
  if (config_.quorum(voters, config_.members)) decide(Decision{view_.accepted->value}, now);
}

void Agreement::decide(const Decision& value, Instant now) {
  view_.decided = value;
  if (!value.members.has(config_.self)) return end(Exclusion::Cause::given_up, now);
  hearing_.notices().go_on_with(value.members, now);
  stage_ = Stage::decided;
  note_change(now);
  announcement_.last_news();
}

void Agreement::end(Exclusion::Cause cause, Instant now) {
  stage_ = Stage::out;
  const Slot answering = hearing_.not_silent(now).count();
  exclusion_ = Exclusion{cause, answering, config_.members.count()};
  announcement_.silence();
}

void Agreement::note_change(Instant now) {
  progress_at_ = now;
  announcement_.news(now);
}

std::optional<Slot> Agreement::poll(Instant now) {
  if (announcement_.begin_round(now)) {
    view_.hears = hearing_.not_silent(now);
    view_.ended = hearing_.notices().told();
    view_.refused = refused_;
    ++view_.version;
  }
  return announcement_.next();
}

Instant Agreement::next_timeout() const {
  if (stage_ == Stage::out) return never;
  if (stage_ == Stage::decided) return announcement_.due();
  return std::min(announcement_.due(), hearing_.next_look(config_.members - view_.suspects));
}

void Agreement::handle_timeout(Instant now) {
  look_at_clock(now);
  if (stage_ == Stage::run || stage_ == Stage::viewing) go_on(now);
  if (stage_ != Stage::viewing) return;
  const Instant since = hearing_.without_quorum_since(
      [&](const MemberSet& present) { return config_.quorum(present, config_.members); });
  if (since != never && now - since >= patience(config_)) return end(Exclusion::Cause::no_quorum, now);
  if (now - viewing_since_ >= longest_agreement * patience(config_) + config_.newcomer_wait)
    end(Exclusion::Cause::no_agreement, now);
}

}  // namespace lbsp::transport
