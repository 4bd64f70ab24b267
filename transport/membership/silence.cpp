#include "transport/membership/silence.hpp"

#include <algorithm>

namespace lbsp::transport {

Silence::Silence(Slot self, const MemberSet& members, Instant now)
    : self_(self),
      others_(members),
      last_(static_cast<std::size_t>(members.bound()), now),
      waits_(last_.size(), Duration{0}) {
  others_.remove(self);
}

void Silence::heard(Slot from, Instant now) {
  Instant& last = last_[static_cast<std::size_t>(from)];
  last = std::max(last, now);
}

void Silence::forgive(Duration slept) {
  for (Instant& last : last_)
    last += slept;
}

MemberSet Silence::heard_within(Duration limit, Instant now) const {
  MemberSet present{self_};
  others_.for_each([&](Slot slot) {
    if (of(slot, now) < limit) present.add(slot);
  });
  return present;
}

Instant Silence::longest_ago(const MemberSet& of) const {
  Instant oldest = never;
  (of & others_).for_each([&](Slot slot) { oldest = std::min(oldest, counts_from(slot)); });
  return oldest;
}

std::vector<Slot> Silence::newest_first() const {
  std::vector<Slot> slots;
  others_.for_each([&](Slot slot) { slots.push_back(slot); });
  std::ranges::stable_sort(slots, std::ranges::greater{}, [&](Slot slot) { return counts_from(slot); });
  return slots;
}

}  // namespace lbsp::transport
