#pragma once

#include <vector>

#include "transport/membership/member_set.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// For how long this process has heard nothing of each other member of its epoch.
class Silence {
 public:
  /// All count as heard now.
  Silence(Slot self, const MemberSet& members, Instant now);

  void heard(Slot from, Instant now);
  /// What it sends waits so long in queues: its silence counts from then on.
  void waits(Slot from, Duration time) { waits_[static_cast<std::size_t>(from)] = time; }
  /// This process did not run for so long: that is not the others' silence.
  void forgive(Duration slept);

  Duration of(Slot slot, Instant now) const { return now - counts_from(slot); }
  Duration since_last_word(Slot slot, Instant now) const {
    return now - last_[static_cast<std::size_t>(slot)];
  }
  /// Those that were heard less than `limit` ago, and this process.
  MemberSet heard_within(Duration limit, Instant now) const;
  /// Since when the member's silence counts that has been silent for the longest, of these; `never` if there is none.
  Instant longest_ago(const MemberSet& of) const;
  /// Since when no quorum has been heard: those that were heard then or later, and this process, are one, and those
  /// that were heard later are none. `is_quorum(set)` says what is one.
  template <class IsQuorum>
  Instant without_quorum_since(IsQuorum is_quorum) const {
    MemberSet present{self_};
    Instant at = never;
    for (const Slot slot : newest_first()) {
      if (is_quorum(present)) break;
      present.add(slot);
      at = counts_from(slot);
    }
    return at;
  }

 private:
  Instant counts_from(Slot slot) const {
    return last_[static_cast<std::size_t>(slot)] + waits_[static_cast<std::size_t>(slot)];
  }
  std::vector<Slot> newest_first() const;

  Slot self_;
  MemberSet others_;
  std::vector<Instant> last_;    ///< by slot
  std::vector<Duration> waits_;  ///< by slot
};

}  // namespace lbsp::transport
