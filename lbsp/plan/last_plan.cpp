#include "lbsp/plan/last_plan.hpp"

#include <algorithm>
#include <chrono>

#include "model/superstep/rounding.hpp"

namespace lbsp::plan {
namespace {

using model::superstep::within;
using transport::Duration;
using transport::LegOutline;
using transport::PlannedMessage;

constexpr std::chrono::microseconds planning_takes{1};
/// Less is no more than what plans are rounded by (model/superstep/rounding.hpp).
constexpr double least_change = 0.02;
constexpr double most_change = 0.25;
/// How much a round trip varies is known by powers of two only.
constexpr double change_of_variation = 2;
/// A pause below this decides nothing.
constexpr std::chrono::milliseconds short_pause{1};

bool within(Duration a, Duration b, double factor) {
  return within(transport::seconds(a), transport::seconds(b), factor);
}

/// What planning takes of the message's round trip.
double part_of_planning(const PlannedMessage& message) {
  const Duration round_trip = std::max(message.path.round_trip, Duration{1});
  return transport::seconds(planning_takes) / transport::seconds(round_trip);
}

bool alike(const PlannedMessage& a, const PlannedMessage& b) {
  const double factor = 1 + std::min(part_of_planning(b), most_change);
  return a.to == b.to && a.bytes == b.bytes && a.near == b.near &&
         a.path.round_trip_known == b.path.round_trip_known && within(a.path.loss, b.path.loss, factor) &&
         within(a.path.loss_after_loss, b.path.loss_after_loss, factor) &&
         within(a.path.round_trip, b.path.round_trip, factor) &&
         within(a.path.least_round_trip, b.path.least_round_trip, factor) &&
         within(a.path.round_trip_variation, b.path.round_trip_variation, change_of_variation);
}

bool is_short(const PlannedMessage& message) {
  return message.segments == 1 && part_of_planning(message) >= least_change;
}

bool follows_at_once(const LegOutline& leg) {
  return leg.pause && *leg.pause < short_pause;
}

}  // namespace

bool LastPlan::is_for(const LegOutline& leg) const {
  return leg.size == size_ && follows_at_once(leg) && within(leg.rate.value, rate_.value, 1 + least_change) &&
         std::ranges::equal(
             leg.messages, messages_,
             [](const PlannedMessage& one, const PlannedMessage& other) { return alike(one, other); });
}

void LastPlan::keep(const LegOutline& leg, std::span<const transport::MessagePlan> plans) {
  forget();
  if (!follows_at_once(leg) || !std::ranges::all_of(leg.messages, is_short)) return;
  messages_.assign(leg.messages.begin(), leg.messages.end());
  plans_.assign(plans.begin(), plans.end());
  size_ = leg.size;
  rate_ = leg.rate;
}

}  // namespace lbsp::plan
