#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "lbsp/checkpoint/interval_plan.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/survival/carried.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// How many steps a program does from one state that it saves to the next: as many as it is told, or as many as are
/// planned from what states and steps take (lbsp/checkpoint/interval_plan.hpp). The rank 0 tells all ranks its plan
/// with each state. What saving costs is noted for the report (World::note()).
///
/// Before keep_every() nothing is planned or noted. All of it is called in the same place on all ranks.
class SavingPlan {
 public:
  SavingPlan(World& world, Carried& carried) : world_(world), carried_(carried) {}

  /// As Keeper::keep_every().
  void keep_every(std::optional<std::uint64_t> steps, bool plan_elsewhere);
  /// As Keeper::step_begins(). `due`: all ranks have the state before.
  void step_begins(bool due);
  /// A state of so many bytes has been saved, in a step that has begun before. `elsewhere`: on other hosts, too.
  void saved(std::size_t bytes, bool elsewhere);

  /// Seconds that what is sent of the newest state takes at the rate of this rank.
  double expected_sending() const;
  /// The superstep ends with which a state is sent.
  void tell() const;
  /// It is complete, or another one.
  void hear();

  std::uint64_t interval() const { return plan_.every; }
  std::uint64_t interval_elsewhere() const { return plans_elsewhere_ ? plan_.elsewhere : 0; }

 private:
  /// Steps from one state to the next, of all states and of those that are kept elsewhere.
  struct Plan {
    std::uint64_t every = checkpoint::first_interval;
    std::uint64_t elsewhere = not_told;
  };
  static constexpr std::uint64_t not_told = std::numeric_limits<std::uint64_t>::max();

  void note_cost() const;
  std::optional<double> forecast(const checkpoint::SavingMeasure& measure) const;
  checkpoint::SavingMeasure expected_measure() const;
  Plan next() const;

  World& world_;
  Carried& carried_;
  std::optional<Queue<Plan>> plans_;  ///< none: nothing is planned
  bool plans_every_ = false;
  bool plans_elsewhere_ = false;
  Plan plan_;                           ///< what was told
  double own_bytes_ = 0;                ///< of the newest state
  std::optional<double> step_began_;    ///< by Carried::seconds(); none: no step has
  std::uint64_t step_began_after_ = 0;  ///< so many supersteps of the world
};

}  // namespace lbsp
