#include "transport/membership/agreement.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// Who hears enough members that do not hear each other waits so many times as long as who hears too few.
constexpr int longest_agreement = 8;

/// After a split of the network, both sides know by then who is missing, and have told each other what they can.
Duration patience(const AgreementConfig& config) {
  return config.peer_timeout + 3 * config.round_trip;
}

}  // namespace

Agreement::Agreement(AgreementConfig config, Held held, Instant now)
    : config_(std::move(config)),
      hearing_(config_, now),
      own_{.view = {.epoch = config_.epoch, .held = held},
           .announcement = {config_.members - MemberSet{config_.self}, config_.round_trip}},
      voting_(config_, hearing_, own_) {
  if (!(hearing_.notices().told() & config_.members).empty()) call_for_votes(now);
}

void Agreement::heard(Slot from, Instant now) {
  look_at_clock(now);
  if (from == config_.self || !config_.members.has(from)) return;
  hearing_.heard(from, now);
  // Who still speaks in this epoch has not been told that it is over.
  if (stage_ == Stage::decided) own_.announcement.answer(from, now);
}

void Agreement::answers_take(Slot from, Duration round_trip) {
  if (from == config_.self || !config_.members.has(from)) return;
  hearing_.answers_take(from, round_trip);
}

void Agreement::refused(Slot to, bool is_refused) {
  if (is_refused && config_.members.has(to)) {
    own_.refused.add(to);
  } else {
    own_.refused.remove(to);
  }
}

void Agreement::hold(const Held& held) {
  if (stage_ == Stage::run) own_.view.held = held;
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
  if (!voting_.take(from, view, now)) return;
  begin_viewing(now);
  (view.ended & (config_.members - MemberSet{config_.self})).for_each([&](Slot slot) {
    if (hearing_.notices().tell(slot, now)) own_.note_change(now);
  });
  go_on(now);
}

/// If this process was stopped, what the others sent still waits: its sleep is not their silence.
void Agreement::look_at_clock(Instant now) {
  const Duration slept = hearing_.look(now);
  if (slept == Duration{0}) return;
  voting_.forgive(slept);
  viewing_since_ += slept;
  own_.changed_at += slept;
}

void Agreement::begin_viewing(Instant now) {
  if (stage_ != Stage::run) return;
  stage_ = Stage::viewing;
  viewing_since_ = now;
  own_.note_change(now);
}

void Agreement::suspect_silent(Instant now) {
  const MemberSet missed_by_some = voting_.missed_by_others();
  (config_.members - own_.view.suspects - MemberSet{config_.self}).for_each([&](Slot slot) {
    if (!hearing_.misses(slot, missed_by_some.has(slot), now)) return;
    own_.view.suspects.add(slot);
    call_for_votes(now);
  });
}

void Agreement::call_for_votes(Instant now) {
  begin_viewing(now);
  voting_.promise_the_lowest(now);
}

void Agreement::go_on(Instant now) {
  suspect_silent(now);
  if (stage_ != Stage::viewing) return;
  if (const auto value = voting_.go_on(viewing_since_, now)) decide(*value, now);
}

void Agreement::decide(const Decision& value, Instant now) {
  own_.view.decided = value;
  if (!value.members.has(config_.self)) return end(Exclusion::Cause::given_up, now);
  hearing_.notices().go_on_with(value.members, now);
  stage_ = Stage::decided;
  own_.note_change(now);
  own_.announcement.last_news();
}

void Agreement::end(Exclusion::Cause cause, Instant now) {
  stage_ = Stage::out;
  const Slot answering = hearing_.not_silent(now).count();
  exclusion_ = Exclusion{cause, answering, config_.members.count()};
  own_.announcement.silence();
}

std::optional<Slot> Agreement::poll(Instant now) {
  if (own_.announcement.begin_round(now)) {
    own_.look(hearing_, now);
    own_.view.ended = hearing_.notices().told();
    ++own_.view.version;
  }
  return own_.announcement.next();
}

Instant Agreement::next_timeout() const {
  if (stage_ == Stage::out) return never;
  if (stage_ == Stage::decided) return own_.announcement.due();
  return std::min(own_.announcement.due(), hearing_.next_look(config_.members - own_.view.suspects));
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
