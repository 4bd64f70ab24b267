#include "checker.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace lbsp::transport::testing {
namespace {

std::size_t at(Slot slot) {
  return static_cast<std::size_t>(slot);
}

/// Written again, differently, so that a fault of the rule is found.
bool may_go_on(const MemberSet& some, const MemberSet& all) {
  int in = 0;
  int out = 0;
  bool lowest_in = false;
  for (Slot slot = MemberSet::most; slot-- > 0;) {
    if (!all.has(slot)) continue;
    (some.has(slot) ? in : out) += 1;
    lowest_in = some.has(slot);
  }
  return in > out || (in == out && lowest_in);
}

}  // namespace

Checker::Checker(const Schedule& schedule)
    : schedule_(schedule),
      last_(at(schedule.size), std::vector<Instant>(at(schedule.size))),
      longest_(at(schedule.size), std::vector<Duration>(at(schedule.size))) {
  members_[0] = MemberSet::first(schedule.size);
}

void Checker::require(bool holds, const std::string& what) {
  if (!holds) violations_.push_back(what);
}

void Checker::decided(Epoch epoch, const Decision& value) {
  const auto [known, first] = decisions_.emplace(epoch, value);
  require(known->second == value, fmt::format("two values for epoch {}", epoch));
  if (!first || !members_.contains(epoch)) return;
  members_[epoch + 1] = value.members;
  require(may_go_on(value.members, members_[epoch]), fmt::format("no quorum of epoch {} goes on", epoch));
}

void Checker::installed(Slot slot, Epoch next, const Decision& value, const Held& held) {
  require(value.members.has(slot), fmt::format("{} goes on without being a member", slot));
  require(held.has(value.boundary), fmt::format("{} does not hold boundary {} of epoch {}, but {} and {}",
                                                slot, value.boundary, next, held.older, held.newest));
  epochs_[slot] = next;
}

void Checker::completed(Slot slot, Epoch epoch, std::uint64_t superstep) {
  require(!ended_.contains(slot), fmt::format("{} goes on after its end", slot));
  require(members_.contains(epoch) && members_[epoch].has(slot),
          fmt::format("{} completes {} in epoch {}, of which it is no member", slot, superstep, epoch));
  // A side that lacks a member can complete no more than what that member had sent its message for.
  const auto decision = decisions_.find(epoch);
  if (decision == decisions_.end()) return;
  require(superstep <= decision->second.boundary + 1,
          fmt::format("{} completes {} of epoch {}, whose members go on from {}", slot, superstep, epoch,
                      decision->second.boundary));
}

void Checker::ended(Slot slot) {
  ended_.insert(slot);
  epochs_.erase(slot);
}

Duration Checker::gap(Slot observer, Slot source, Instant now) const {
  return std::max(longest_[at(observer)][at(source)], now - last_[at(observer)][at(source)]);
}

void Checker::heard(Slot observer, Slot source, Instant now) {
  longest_[at(observer)][at(source)] = gap(observer, source, now);
  last_[at(observer)][at(source)] = now;
}

void Checker::listens(Slot observer, Instant now) {
  std::ranges::fill(longest_[at(observer)], Duration{0});
  std::ranges::fill(last_[at(observer)], now);
}

void Checker::slept(Slot observer, Duration slept, Instant now) {
  if (slept < peer_timeout / 2) return;
  for (Instant& last : last_[at(observer)])
    last = std::min(now, last + slept);
}

bool Checker::was_missed(Slot slot, const MemberSet& by, Instant now) const {
  bool missed = false;
  by.for_each([&](Slot other) {
    if (other == slot) return;
    missed = missed || gap(other, slot, now) >= peer_timeout || gap(slot, other, now) >= peer_timeout;
  });
  return missed;
}

void Checker::judge_removals(const MemberSet& before, const MemberSet& after, const MemberSet& dead,
                             Instant now) {
  (before - after - dead).for_each([&](Slot slot) {
    require(was_missed(slot, before, now), fmt::format("{} is left out and answered in time", slot));
  });
}

void Checker::end(const std::map<Slot, Epoch>& running, bool got_on) {
  require(got_on, "it hangs");
  for (const auto& [slot, epoch] : running)
    require(epoch == running.begin()->second, fmt::format("{} is in a world of its own", slot));
  const MemberSet untouched = schedule_.untouched();
  const bool many = 2 * untouched.count() > schedule_.size;
  if (!many || schedule_.loss > 0.1) return;
  untouched.for_each([&](Slot slot) {
    require(running.contains(slot), fmt::format("{} ended, of which nothing was wrong", slot));
  });
}

}  // namespace lbsp::transport::testing
