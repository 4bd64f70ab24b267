#pragma once

#include "transport/options.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::plan {

/// The protection that the options fix, the same in every superstep, with the planner's repairs.
class GivenProtection final : public transport::RedundancyPlanner {
 public:
  /// `options.redundancy` is fixed.
  explicit GivenProtection(const transport::ExchangeOptions& options) : options_(options) {}

  transport::LegForecast plan(const transport::LegOutline& leg,
                              std::span<transport::MessagePlan> plans) override;
  int repairs_for(int lacking, int earlier, const transport::PathForecast& path) const override;

 private:
  transport::ExchangeOptions options_;
};

}  // namespace lbsp::plan
