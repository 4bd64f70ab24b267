#include "lbsp/plan/last_plan.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

#include "lbsp/plan/model_planner.hpp"

namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using transport::Duration;
using transport::LegOutline;
using transport::MessagePlan;
using transport::PathForecast;
using transport::PlannedMessage;

struct ShortLeg {
  explicit ShortLeg(Duration round_trip) {
    for (Rank to = 1; to < 3; ++to)
      messages.push_back({to,
                          40,
                          1,
                          {.loss = 0.1,
                           .loss_after_loss = 0.1,
                           .loss_sample = 1000,
                           .round_trip = round_trip,
                           .round_trip_variation = round_trip / 10,
                           .least_round_trip = round_trip}});
  }
  LegOutline outline() const {
    return {.size = 3, .rate = rate, .datagram_bytes = 1472, .messages = messages, .pause = pause};
  }

  std::vector<PlannedMessage> messages;
  transport::BytesPerSecond rate = transport::megabits_per_second(1000);
  std::optional<Duration> pause = Duration{0};
};

/// Whether the plan of a leg is that of another one that is changed so.
bool is_kept(const ShortLeg& first, const std::function<void(ShortLeg&)>& change) {
  LastPlan last;
  const std::vector<MessagePlan> plans(first.messages.size());
  last.keep(first.outline(), plans);
  ShortLeg next = first;
  change(next);
  return last.is_for(next.outline());
}

std::function<void(ShortLeg&)> longer_by(double factor) {
  return [factor](ShortLeg& leg) {
    leg.messages.back().path.round_trip =
        std::chrono::duration_cast<Duration>(factor * leg.messages.back().path.round_trip);
  };
}

TEST(LastPlan, holds_for_a_leg_that_differs_by_less_than_planning_takes) {
  EXPECT_TRUE(is_kept(ShortLeg(10us), longer_by(1)));
  EXPECT_TRUE(is_kept(ShortLeg(10us), longer_by(1.09)));
  EXPECT_FALSE(is_kept(ShortLeg(10us), longer_by(1.11)));
  EXPECT_FALSE(is_kept(ShortLeg(10us), longer_by(0.9)));
  EXPECT_TRUE(is_kept(ShortLeg(40us), longer_by(1.02)));
  EXPECT_FALSE(is_kept(ShortLeg(40us), longer_by(1.03)));
  // However short round trips are.
  EXPECT_FALSE(is_kept(ShortLeg(500ns), longer_by(1.3)));
}

TEST(LastPlan, does_not_hold_where_planning_takes_next_to_nothing_of_a_superstep) {
  EXPECT_FALSE(is_kept(ShortLeg(60us), longer_by(1)));
  EXPECT_FALSE(is_kept(ShortLeg(10ms), longer_by(1)));
  ShortLeg long_messages(10us);
  for (PlannedMessage& message : long_messages.messages)
    message.segments = 2;
  EXPECT_FALSE(is_kept(long_messages, longer_by(1)));
}

TEST(LastPlan, holds_for_the_same_messages_only) {
  const ShortLeg first(10us);
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.messages.pop_back(); }));
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.messages.back().to = 3; }));
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.messages.back().bytes = 41; }));
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.messages.back().near = true; }));
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.messages.back().path.loss = 0.2; }));
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.messages.back().path.loss_after_loss = 0.3; }));
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.rate = transport::megabits_per_second(900); }));
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.pause = 2ms; }));
  EXPECT_FALSE(is_kept(first, [](ShortLeg& leg) { leg.pause = std::nullopt; }));
}

TEST(LastPlan, is_that_of_the_planner_until_the_path_has_changed) {
  ModelPlanner planner{transport::ExchangeOptions{}};
  const auto forecast = [&](const ShortLeg& leg) {
    std::vector<MessagePlan> plans(leg.messages.size());
    return planner.plan(leg.outline(), plans).duration;
  };
  ShortLeg leg(10us);
  const Duration first = forecast(leg);
  leg.messages.back().path.round_trip = 10'800ns;
  EXPECT_EQ(forecast(leg), first);
  leg.messages.back().path.round_trip = 13us;
  const Duration longer = forecast(leg);
  EXPECT_GT(longer, first);
  for (PlannedMessage& message : leg.messages)
    message.path.loss = message.path.loss_after_loss = 0.3;
  EXPECT_GT(forecast(leg), longer);
}

}  // namespace
}  // namespace lbsp::plan
