#pragma once

#include <array>
#include <cstddef>
#include <map>

#include "lbsp/plan/last_plan.hpp"
#include "lbsp/plan/rate_range.hpp"
#include "model/superstep/best_protection.hpp"
#include "model/superstep/rounding.hpp"
#include "transport/options.hpp"
#include "transport/redundancy.hpp"

namespace lbsp::plan {

/// Plans redundancy with the model: of all ways to protect a superstep's messages, the one with which
/// best_protection() expects its slowest rank to be done first. A rank knows its own messages only, and
/// assumes that the others send alike. What the options fix it keeps to, with the same repairs and forecasts.
///
/// Supersteps that are nearly alike have one plan, adapted to the losses of each path and superstep: that costs 1 to
/// 20 µs, or next to nothing where that would be much beside the round trip (LastPlan). A new one is planned in 0.02
/// ms, or 0.1 to 0.3 ms for messages of hundreds of segments; what would be sent meanwhile is late by that.
class ModelPlanner final : public transport::RedundancyPlanner {
 public:
  explicit ModelPlanner(const transport::ExchangeOptions& options) : options_(options) {}

  transport::LegForecast plan(const transport::LegOutline& leg,
                              std::span<transport::MessagePlan> plans) override;

  /// So many that with a probability of 98 % as many as lack arrive, the second time 99.5 %.
  int repairs_for(int lacking, int earlier, const transport::PathForecast& path) const override;

 private:
  struct Known {
    model::superstep::Choice choice;
    bool crowded = false;                      ///< what is sent in advance fills the link
    model::superstep::Superstep forecast_for;  ///< the last superstep that had it …
    model::superstep::Spread forecast;         ///< … and the seconds expected of that
  };

  transport::LegForecast plan_rounds(const transport::LegOutline& leg,
                                     const model::superstep::Superstep& rounded,
                                     std::span<transport::MessagePlan> plans) const;
  void protect(const transport::LegOutline& leg, const model::superstep::Choice& choice,
               std::span<transport::MessagePlan> plans) const;
  transport::LegForecast with_range(const transport::LegForecast& forecast,
                                    const model::superstep::Superstep& superstep) const;
  void note_rates(const transport::LegOutline& leg);
  bool looks_without(const transport::LegOutline& leg, const Known& known) const;
  Known known_of(const model::superstep::Superstep& wanted) const;
  Known& known_for(const model::superstep::Superstep& rounded);
  Known& find_or_choose(const model::superstep::Superstep& rounded);
  model::superstep::Choice choose(const model::superstep::Superstep& superstep) const;
  RateRange& rates() { return rates_[static_cast<std::size_t>(bound_)]; }
  const RateRange& rates() const { return rates_[static_cast<std::size_t>(bound_)]; }
  bool is_fixed() const { return options_.redundancy == transport::Redundancy::fixed; }

  transport::ExchangeOptions options_;
  std::map<model::superstep::Superstep, Known> known_;
  /// Most often a superstep is as the last one was.
  model::superstep::Superstep last_;
  Known* known_for_last_ = nullptr;
  LastPlan last_plan_;
  std::array<RateRange, 3> rates_;                           ///< by what bounds a leg …
  transport::RateBound bound_ = transport::RateBound::host;  ///< … as the last one
};

}  // namespace lbsp::plan
