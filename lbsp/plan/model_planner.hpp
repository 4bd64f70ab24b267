#pragma once

#include <memory>
#include <unordered_map>

#include "lbsp/plan/protection.hpp"
#include "transport/options.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::plan {

/// Plans redundancy with the model: of all ways to protect a superstep's messages, the one with which the
/// time line (model/superstep/time_line.hpp) expects its slowest rank to be done first. A rank knows its own
/// messages only, and takes it that the others send alike.
///
/// Supersteps that are nearly alike have one plan, adapted to the losses of each path and superstep: that
/// costs 2 to 20 µs. A new one is planned in 0.02 ms, or 0.1 to 0.3 ms for messages of hundreds of segments;
/// what would be sent meanwhile is late by that.
class ModelPlanner : public transport::RedundancyPlanner {
 public:
  /// `redundancy` is automatic, copies or coded.
  explicit ModelPlanner(transport::Redundancy redundancy);

  transport::LegForecast plan(const transport::LegOutline& leg,
                              std::span<transport::MessagePlan> plans) override;

  /// So many that with a probability of 98 % as many as lack arrive, the second time 99.5 %.
  int repairs_for(int lacking, int earlier, const transport::PathForecast& path) const override;

 private:
  struct Known {
    ShapePlan plan;
    SuperstepShape forecast_for;  ///< the last superstep that had it …
    double forecast = 0;          ///< … and the seconds expected of that
  };
  using KnownPlans = std::unordered_map<SuperstepShape, Known, ShapeHash>;

  KnownPlans::value_type& plan_for(const SuperstepShape& exact);
  static double forecast(const SuperstepShape& exact, Known& known);

  Means means_;
  KnownPlans known_;
};

/// The planner that the options ask for; none for fixed redundancy.
std::unique_ptr<transport::RedundancyPlanner> make_planner(const transport::ExchangeOptions& options);

}  // namespace lbsp::plan
