#pragma once

#include <vector>

#include "transport/membership/member_set.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a process has been told of the ends of others: by the launcher, which knows when a process ends, or by a member
/// that it has told. It is a hint, and shortens the wait for one that says nothing: who was told of is over when it has
/// been silent for two round trips since, and a little. One that still speaks after twice that time lives, whatever was
/// said.
class Notices {
 public:
  /// `round_trip`: to those of which nothing is measured. `limit`: nobody is waited for longer.
  void set_times(Duration round_trip, Duration limit) {
    round_trip_ = round_trip;
    limit_ = limit;
  }
  void answers_take(Slot slot, Duration round_trip) { of(slot).round_trip = round_trip; }

  /// The slot's process has ended. Returns whether that is news: not again of one that is known to live.
  bool tell(Slot slot, Instant now);
  /// Nobody will take the slot's place.
  void vacate(Slot slot) { vacant_.add(slot); }
  /// Since then a new process asks for the slot's place; never: none does.
  void asked_for(Slot slot, Instant since) { of(slot).asked_since = since; }
  void heard(Slot slot, Instant now);
  /// It has been decided that these go on: their places are theirs, and whoever was told of so long before that it has
  /// been asked lives.
  void go_on_with(const MemberSet& members, Instant now);
  /// The slot has another process now, of which nothing has been told.
  void forget(Slot slot);
  /// This process did not run for so long: nobody can have been heard.
  void forgive(Duration slept);

  /// Of which it was said, and which may be so.
  const MemberSet& told() const { return told_; }
  const MemberSet& vacant() const { return vacant_; }
  /// For whose places new processes have asked for so long that they would have been heard.
  MemberSet asked_in_vain(Instant now) const;
  /// It was told of, and has been silent since for long enough.
  bool is_over(Slot slot, Instant now) const { return told_.has(slot) && over_at(slot) <= now; }
  /// When the first of these will be over that was told of; `never` if there is none.
  Instant first_over(const MemberSet& of) const;

 private:
  struct About {
    Instant told{};
    Instant spoke{};  ///< last, since then
    Instant asked_since = never;
    Duration round_trip{0};
  };

  About& of(Slot slot);
  void lives(Slot slot);
  Duration patience(const About& about) const;
  Instant over_at(Slot slot) const;

  Duration round_trip_{0};
  Duration limit_{0};
  MemberSet told_;
  MemberSet living_;  ///< though it was told
  MemberSet vacant_;
  std::vector<About> about_;  ///< by slot
};

}  // namespace lbsp::transport
