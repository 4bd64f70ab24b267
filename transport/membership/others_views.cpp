#include "transport/membership/others_views.hpp"

#include <cstddef>

namespace lbsp::transport {

bool OthersViews::take(Slot from, const View& view, Instant now) {
  std::optional<View>& known = views_[static_cast<std::size_t>(from)];
  if (known && known->version >= view.version) return false;
  known = view;
  said_at_[static_cast<std::size_t>(from)] = now;
  return true;
}

MemberSet OthersViews::suspects() const {
  MemberSet suspects;
  for (const std::optional<View>& view : views_)
    if (view) suspects = suspects | view->suspects;
  return suspects;
}

/// Those of whom of(view) is true.
template <class Of>
MemberSet OthersViews::whose(Of of) const {
  MemberSet found;
  for (std::size_t slot = 0; slot < views_.size(); ++slot)
    if (views_[slot] && of(*views_[slot])) found.add(static_cast<Slot>(slot));
  return found;
}

MemberSet OthersViews::who_promised(const Ballot& ballot) const {
  return whose([&](const View& view) { return view.promised == ballot; });
}

MemberSet OthersViews::who_voted(const Ballot& ballot) const {
  return whose([&](const View& view) { return view.accepted && view.accepted->ballot == ballot; });
}

MemberSet OthersViews::who_spoke_since(Instant begin) const {
  MemberSet found;
  for (std::size_t slot = 0; slot < said_at_.size(); ++slot)
    if (said_at_[slot] >= begin) found.add(static_cast<Slot>(slot));
  return found;
}

}  // namespace lbsp::transport
