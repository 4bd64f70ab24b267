#pragma once

#include "model/superstep/superstep.hpp"
#include "transport/options.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::plan {

/// The protection that the options fix, the same in every superstep, with the planner's repairs and forecasts.
class GivenProtection final : public transport::RedundancyPlanner {
 public:
  /// `options.redundancy` is fixed.
  explicit GivenProtection(const transport::ExchangeOptions& options) : options_(options) {}

  transport::LegForecast plan(const transport::LegOutline& leg,
                              std::span<transport::MessagePlan> plans) override;
  int repairs_for(int lacking, int earlier, const transport::PathForecast& path) const override;

 private:
  transport::MessagePlan plan_of(std::uint32_t segments) const;
  double seconds_of(const model::superstep::Superstep& superstep, transport::Recovery recovery) const;

  transport::ExchangeOptions options_;
  model::superstep::Superstep forecast_for_;  ///< the last superstep …
  double forecast_ = 0;                       ///< … and the seconds expected of it
};

}  // namespace lbsp::plan
