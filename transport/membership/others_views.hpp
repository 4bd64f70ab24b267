#pragma once

#include <optional>
#include <vector>

#include "transport/membership/member_set.hpp"
#include "transport/membership/view.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What the other members of an epoch have said last in their agreement, and what that says together.
class OthersViews {
 public:
  explicit OthersViews(const MemberSet& members)
      : views_(static_cast<std::size_t>(members.bound())), said_at_(views_.size()) {}

  /// A member's view came. Whether it is newer than what that had said before.
  bool take(Slot from, const View& view, Instant now);

  /// Of one who has said something.
  const View& of(Slot slot) const { return *views_[static_cast<std::size_t>(slot)]; }
  /// For whom any of them does not wait.
  MemberSet suspects() const;
  /// Who votes for nothing below this ballot, nor has promised more.
  MemberSet who_promised(const Ballot& ballot) const;
  /// Who has voted in this ballot.
  MemberSet who_voted(const Ballot& ballot) const;
  /// Who has said something new since then.
  MemberSet who_spoke_since(Instant begin) const;

 private:
  template <class Of>
  MemberSet whose(Of of) const;

  std::vector<std::optional<View>> views_;  ///< by slot
  std::vector<Instant> said_at_;            ///< by slot: when that has come
};

}  // namespace lbsp::transport
