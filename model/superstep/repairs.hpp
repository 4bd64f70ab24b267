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
  /// One of a group's awaited moments, in the order of time.
  struct Finding {
    double time;
    int group;
    std::size_t awaited;
    bool operator>(const Finding& other) const { return time > other.time; }
  };

  void repair(int index, const SendGroup::Awaited& found, double share);
  void repair_blocks(int index, const SendGroup::Awaited& found, double share);
  void await_again(int index, const SendGroup::Awaited& repaired, double last_sent, double share);
  void expect(int index, const SendGroup::Awaited& awaited);

  Schedule& schedule_;
  LossDiscovery discovery_;
  std::array<int, 2> repairs_of_one_;  ///< of a segment: the first time, and again
  double longest_;                     ///< what would happen later is left out
  std::priority_queue<Finding, std::vector<Finding>, std::greater<>> findings_;
};

}  // namespace lbsp::model::superstep
