#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/probe/pair_schedule.hpp"

namespace lbsp::probe {

/// What a host may share with others, so that pairs measured at the same time would measure each other.
struct HostPlace {
  std::string machine;  ///< the same for hosts that run on one; empty: its own
  int processors = 1;   ///< of that machine
  std::string site;     ///< the same for hosts that may have one uplink; empty: its own
};

/// Which pair is measured when. Pure: it is told what came of each.
///
/// No host is in two pairs at once. Unless the caller says how many pairs at a time, a machine that hosts
/// share carries one pair for each processor, for a pair keeps two ends busy for about half of its time; and
/// each site has one pair at a time that leaves it, for the other site's end of the uplink is not known.
///
/// A pair that fails goes to the end and is tried again when all others are through, then with half as many
/// at a time, at last alone: what was too much for it may have been the others. One that was alone and too slow is
/// not tried again.
class PairQueue {
 public:
  static constexpr int most_attempts = 3;

  /// `at_a_time`: at most so many, whatever they share; none: as many as do not disturb each other.
  PairQueue(std::vector<Pair> pairs, std::vector<HostPlace> places, std::optional<int> at_a_time);

  /// What was found out about a host since.
  void set_machine(int host, const std::string& machine, int processors);

  /// A pair to be measured now, beside those under way; nothing: wait, or all is done.
  std::optional<Pair> next();

  void measured(const Pair& pair);
  /// Tried again later, as long as there are attempts; but not for more time than it had alone.
  void failed(const Pair& pair, const std::string& why, bool out_of_time = false);
  /// None of its pairs can be measured any more. One under way is still reported by measured() or failed().
  void lose(int host, const std::string& why);

  /// Nothing waits, and nothing is under way.
  bool done() const { return waiting_.empty() && again_.empty() && running_.empty(); }
  /// Pairs neither measured nor failed for good.
  std::size_t left() const { return waiting_.size() + again_.size() + running_.size(); }
  const std::vector<Pair>& running() const { return running_; }
  /// Pairs that failed and are not to be tried again, or not yet; with the latest reason.
  const std::map<Pair, std::string>& failures() const { return failures_; }

 private:
  bool may_join(const Pair& pair) const;
  bool leaves_processors(const Pair& pair) const;
  bool leaves_uplinks(const Pair& pair) const;
  bool crosses(const Pair& pair) const;
  std::size_t most_at_a_time() const;
  const HostPlace& place(int host) const { return places_[static_cast<std::size_t>(host)]; }

  std::vector<HostPlace> places_;
  std::optional<int> at_a_time_;
  std::map<int, std::string> lost_;  ///< hosts
  std::vector<Pair> waiting_;
  std::vector<Pair> again_;
  std::vector<Pair> running_;
  std::set<Pair> disturbed_;  ///< those beside which others ran
  std::map<Pair, std::string> failures_;
  int attempt_ = 1;
};

}  // namespace lbsp::probe
