#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schedule.hpp"
#include "transport/membership/view.hpp"

namespace lbsp::transport::testing {

/// Watches a run from outside, where all processes are seen at once, and notes what must never be. It has rules of its
/// own: it shares none with what it checks.
class Checker {
 public:
  explicit Checker(const Schedule& schedule);

  /// A process knows what its epoch has ended with, whether it goes on or not.
  void decided(Epoch epoch, const Decision& value);
  /// A process goes on in the next epoch, holding this.
  void installed(Slot slot, Epoch next, const Decision& value, const Held& held);
  void completed(Slot slot, Epoch epoch, std::uint64_t superstep);
  void ended(Slot slot);
  /// Something of this epoch came to one that is in it.
  void heard(Slot observer, Slot source, Instant now);
  /// One is in a new epoch, and hears of the others from now on.
  void listens(Slot observer, Instant now);
  /// One did not run until now, for so long.
  void slept(Slot observer, Duration slept, Instant now);
  /// The first decision of an epoch: who was left out must have been missed, or be dead.
  void judge_removals(const MemberSet& before, const MemberSet& after, const MemberSet& dead, Instant now);
  /// Those that run in the end, with their epochs, and whether each got on.
  void end(const std::map<Slot, Epoch>& running, bool got_on);

  const std::vector<std::string>& violations() const { return violations_; }
  const MemberSet& members(Epoch epoch) const { return members_.at(epoch); }
  bool knows(Epoch epoch) const { return members_.contains(epoch); }

 private:
  void require(bool holds, const std::string& what);
  bool was_missed(Slot slot, const MemberSet& by, Instant now) const;
  Duration gap(Slot observer, Slot source, Instant now) const;

  const Schedule& schedule_;
  std::map<Epoch, Decision> decisions_;  ///< by the epoch that they end
  std::map<Epoch, MemberSet> members_;
  std::set<Slot> ended_;
  std::map<Slot, Epoch> epochs_;
  std::vector<std::vector<Instant>> last_;      ///< by observer and source
  std::vector<std::vector<Duration>> longest_;  ///< silence, in this epoch
  std::vector<std::string> violations_;
};

}  // namespace lbsp::transport::testing
