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
  /// This process did not run for so long: that is not the others' silence.
  void forgive(Duration slept);

  Duration of(Slot slot, Instant now) const;
  /// Those that were heard less than `limit` ago, and this process.
  MemberSet heard_within(Duration limit, Instant now) const;
  /// When the member was heard that has been silent for the longest, of these; `never` if there is none.
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
      at = last_[static_cast<std::size_t>(slot)];
    }
    return at;
  }

 private:
  std::vector<Slot> newest_first() const;

  Slot self_;
  MemberSet others_;
  std::vector<Instant> last_;  ///< by slot
};

}  // namespace lbsp::transport
