#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

#include "model/superstep/loss_discovery.hpp"
#include "model/superstep/schedule.hpp"

namespace lbsp::model::superstep {

/// When senders learn what lacks, and what they send then, until what still lacks is negligible.
class Repairs {
 public:
  /// Of `schedule`, which must outlive this.
  explicit Repairs(Schedule& schedule);

  const ProtocolTimes& times() const { return discovery_.times(); }
  /// After a group's turn in a pass: what is not there will be found missing. Voids what was awaited before
  /// of earlier passes.
  void await_findings(int group);
  /// When something is found missing next; infinity: nothing will be.
  double next() const;
  /// Finds it, and sends the repair.
  void find_next();

 private:
  /// A moment at which the sender learns what lacks, if the report arrives.
  struct Finding {
    double time;
    double share;  ///< of the group's parts; after a repair, what has been awaited with it counts too
    int group;
    int attempt;         ///< repairs before
    std::size_t passes;  ///< until then, for attempt 0: void after another one
    bool by_probe;
    bool operator>(const Finding& other) const { return time > other.time; }
  };

  void repair(const Finding& found);
  void repair_blocks(const Finding& found);
  void await_again(const Finding& repaired, double last_sent, double share);
  void expect(const Finding& finding);
  bool is_found_together(SendGroup& of, const Finding& finding) const;

  Schedule& schedule_;
  LossDiscovery discovery_;
  std::array<int, 2> repairs_of_one_;  ///< of a segment: the first time, and again
  double longest_;                     ///< what would happen later is left out
  std::priority_queue<Finding, std::vector<Finding>, std::greater<>> findings_;
};

}  // namespace lbsp::model::superstep
