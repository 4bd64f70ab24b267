#include "transport/membership/notices.hpp"

#include <algorithm>
#include <cstddef>

namespace lbsp::transport {
namespace {

/// A question and its answer, and both again if one was lost …
constexpr int round_trips_for_answer = 2;
/// … where the one that is asked shares its processor with others.
constexpr Duration wait_for_processor = std::chrono::milliseconds{10};
/// What an ended process has sent still arrives for no longer than so many times the patience.
constexpr int last_words = 2;
/// A process that asks does so every 20 ms, as soon as its host has run it: it is heard by then, or not at all.
constexpr Duration shortest_asking = std::chrono::seconds{1};
constexpr Duration longest_asking = std::chrono::seconds{3};
constexpr int round_trips_of_asking = 4;

}  // namespace

Notices::About& Notices::of(Slot slot) {
  const auto place = static_cast<std::size_t>(slot);
  if (place >= about_.size()) about_.resize(place + 1);
  return about_[place];
}

Duration Notices::patience(const About& about) const {
  const Duration round_trip = about.round_trip == Duration{0} ? round_trip_ : about.round_trip;
  return std::min(round_trips_for_answer * round_trip + wait_for_processor, limit_);
}

Instant Notices::over_at(Slot slot) const {
  const About& about = about_[static_cast<std::size_t>(slot)];
  return std::max(about.told, about.spoke) + patience(about);
}

bool Notices::tell(Slot slot, Instant now) {
  if (told_.has(slot) || living_.has(slot)) return false;
  told_.add(slot);
  of(slot).told = now;
  return true;
}

void Notices::heard(Slot slot, Instant now) {
  if (!told_.has(slot)) return;
  About& about = of(slot);
  about.spoke = now;
  if (now - about.told >= last_words * patience(about)) lives(slot);
}

void Notices::lives(Slot slot) {
  told_.remove(slot);
  living_.add(slot);
}

void Notices::go_on_with(const MemberSet& members, Instant now) {
  vacant_ = vacant_ - members;
  members.for_each([&](Slot slot) { of(slot).asked_since = never; });
  (told_ & members).for_each([&](Slot slot) {
    if (now - of(slot).told >= patience(of(slot))) lives(slot);
  });
}

MemberSet Notices::asked_in_vain(Instant now) const {
  const Duration longest =
      std::clamp(limit_, shortest_asking, longest_asking) + round_trips_of_asking * round_trip_;
  MemberSet slots;
  for (std::size_t slot = 0; slot < about_.size(); ++slot)
    if (about_[slot].asked_since != never && now - about_[slot].asked_since >= longest)
      slots.add(static_cast<Slot>(slot));
  return slots;
}

void Notices::forget(Slot slot) {
  for (MemberSet* set : {&told_, &living_, &vacant_})
    set->remove(slot);
  of(slot) = {};
}

void Notices::forgive(Duration slept) {
  for (About& about : about_)
    if (about.asked_since != never) about.asked_since += slept;
  told_.for_each([&](Slot slot) {
    of(slot).told += slept;
    of(slot).spoke += slept;
  });
}

Instant Notices::first_over(const MemberSet& of) const {
  Instant first = never;
  (told_ & of).for_each([&](Slot slot) { first = std::min(first, over_at(slot)); });
  return first;
}

}  // namespace lbsp::transport
