#include "lbsp/plan/model_planner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lbsp/plan/outline.hpp"
#include "lbsp/plan/protocol.hpp"
#include "lbsp/plan/rounds.hpp"
#include "model/superstep/block_repair.hpp"
#include "transport/loss_prior.hpp"

namespace lbsp::plan {
namespace {

using model::superstep::Blocks;
using model::superstep::Choice;
using model::superstep::Path;
using model::superstep::Protection;
using model::superstep::Superstep;
using transport::LegForecast;
using transport::LegOutline;
using transport::MessagePlan;
using transport::PlannedMessage;
using transport::RateBound;
using transport::Redundancy;

constexpr std::size_t most_known = 1024;
/// Larger ones are planned for as if they were this.
constexpr double most_loss = 0.9;
constexpr double nine_of_ten = 0.9;
/// What is sent in advance fills the link if all that is sent takes so much of the time, and so much more than the
/// messages alone.
constexpr double crowded_share = 0.7;
constexpr double much_redundancy = 1.3;
/// With more than that, supersteps without copies take too long (LossDoubt looks at heavy loss).
constexpr double little_loss = 0.05;

/// What fixed options give a message of so many segments.
Protection given_protection(const transport::ExchangeOptions& options, int segments) {
  Protection given{.copies = options.copies};
  if (segments == 1) return given;
  if (options.longer_copies > 0) given.copies = options.longer_copies;
  if (options.repair_segments)
    given = {.copies = 1, .repair_segments = *options.repair_segments, .coded = true};
  if (options.protected_tail > 0)
    given.first_protected =
        segments - static_cast<int>(std::min(options.protected_tail, static_cast<std::uint32_t>(segments)));
  return given;
}

/// Enough for a loss two deviations above what was measured, for as long as little was. `blocks`: of all ranks.
int most_coded(const PlannedMessage& message, double blocks) {
  const transport::PathForecast& path = message.path;
  const double deviation =
      std::sqrt(path.loss * (1 - path.loss) / (path.loss_sample + transport::loss_prior.datagrams));
  const Blocks cut(segments_of(message), protocol().limits.block_segments);
  return model::superstep::most_coded_segments(protocol().repairs, cut.longest(), blocks,
                                               std::min(path.loss + 2 * deviation, most_loss),
                                               model::superstep::dispersion_of(path_of(path)));
}

MessagePlan plan_of(const Protection& protection, const PlannedMessage& message, double blocks) {
  return {.copies = protection.copies,
          .repair_segments = protection.repair_segments,
          .first_protected = static_cast<std::uint32_t>(protection.first_protected),
          .coded = protection.coded,
          .most_segments = protection.coded ? most_coded(message, blocks) : 0,
          .without_spares = protection.without_spares};
}

/// Whether enough is known of the leg's paths for a forecast.
bool can_forecast(const LegOutline& leg) {
  return std::ranges::all_of(leg.messages,
                             [](const PlannedMessage& message) { return message.path.round_trip_known; });
}

/// Repairs stay as planned.
void leave_out(std::span<MessagePlan> plans) {
  for (MessagePlan& plan : plans)
    plan = {.coded = plan.coded};
}

/// Whether it takes much longer than it did once.
bool is_queued(const PlannedMessage& message) {
  return message.path.round_trip > message.path.least_round_trip + message.path.least_round_trip / 5;
}

/// Also if it is for ever.
transport::Duration duration_of(double seconds) {
  constexpr double most = 9e18;  // of 64 bits of nanoseconds
  return transport::Duration{static_cast<transport::Duration::rep>(std::clamp(seconds * 1e9, 0., most))};
}

/// As losses fall: without the usual error of the mean, which is the same for all supersteps of a kind.
LegForecast forecast_of(const model::superstep::Spread& spread) {
  const double error = model::superstep::usual_error * spread.mean;
  return {.duration = duration_of(spread.mean),
          .earlier = duration_of(spread.mean - spread.from - error),
          .later = duration_of(spread.to - spread.mean - error)};
}

}  // namespace

Choice ModelPlanner::choose(const Superstep& superstep) const {
  if (!is_fixed()) {
    const Redundancy redundancy = options_.redundancy;
    return {superstep,
            {.copies = redundancy != Redundancy::coded, .coded = redundancy != Redundancy::copies},
            protocol()};
  }
  std::vector<Protection> given;
  for (const model::superstep::Messages& kind : superstep.messages)
    given.push_back(given_protection(options_, kind.segments));
  return {superstep, std::move(given)};
}

ModelPlanner::Known ModelPlanner::known_of(const Superstep& wanted) const {
  Known known{choose(wanted), false, {}, {}};
  if (is_fixed() || wanted.path.loss <= 0 || !wanted.pause) return known;
  const auto& protection = known.choice.protection();
  const bool redundant = std::ranges::any_of(
      protection, [](const Protection& each) { return each.copies > 1 || each.repair_segments > 0; });
  if (!redundant) return known;
  const auto prediction = predict(wanted, protection, protocol());
  known.crowded = prediction.sent >= crowded_share * prediction.cost &&
                  prediction.sent >= much_redundancy * wanted.seconds();
  return known;
}

/// What is sent in advance may itself be why round trips are long and datagrams are lost. Where nobody has told what
/// the network carries, it is left out now and then, on all ranks in the same supersteps: in two at the begin, and in
/// two each time that there have been twice as many.
bool ModelPlanner::looks_without(const LegOutline& leg, const Known& known) const {
  constexpr std::uint32_t first_again = 16;
  if (!known.crowded || leg.rate_source == transport::RateSource::told || leg.superstep == 0) return false;
  if (leg.superstep <= 2) return true;
  const std::uint32_t doubled = std::bit_floor(leg.superstep);
  if (doubled < first_again || leg.superstep > doubled + 1) return false;
  return known.choice.superstep().path.loss < little_loss && std::ranges::any_of(leg.messages, is_queued);
}

ModelPlanner::Known& ModelPlanner::known_for(const Superstep& rounded) {
  if (known_for_last_ == nullptr || last_ != rounded) {
    known_for_last_ = &find_or_choose(rounded);
    last_ = rounded;
  }
  return *known_for_last_;
}

ModelPlanner::Known& ModelPlanner::find_or_choose(const Superstep& rounded) {
  const Superstep wanted = coarse(rounded);
  const auto known = known_.find(wanted);
  if (known != known_.end()) return known->second;
  const auto near =
      std::ranges::find_if(known_, [&](const auto& each) { return nearly_alike(each.first, rounded); });
  if (near != known_.end()) return near->second;
  if (known_.size() >= most_known) known_.clear();
  return known_.emplace(wanted, known_of(wanted)).first->second;
}

LegForecast ModelPlanner::plan(const LegOutline& leg, std::span<MessagePlan> plans) {
  if (leg.messages.empty()) return {};
  note_rates(leg);
  if (last_plan_.is_for(leg)) {
    std::ranges::copy(last_plan_.plans(), plans.begin());
    return with_range(forecast_of(known_for_last_->forecast), known_for_last_->forecast_for);
  }
  last_plan_.forget();
  if (leg.recovery != transport::Recovery::receiver)
    return plan_rounds(leg, rounded(superstep_of(leg)), plans);
  const Superstep superstep = rounded(superstep_to_forecast(leg));
  Known& known = known_for(rounded(superstep_without_queues(leg)));
  protect(leg, known.choice, plans);
  if (looks_without(leg, known)) leave_out(plans);
  if (!can_forecast(leg)) return {};
  if (!known.crowded) last_plan_.keep(leg, plans);
  if (known.forecast_for != superstep) {
    known.forecast_for = superstep;
    known.forecast = predict_spread(superstep, known.choice.protection(), protocol(), nine_of_ten);
  }
  return with_range(forecast_of(known.forecast), superstep);
}

/// What bounds the leg besides has shown what is carried, however little is known of the host's rate.
void ModelPlanner::note_rates(const LegOutline& leg) {
  bound_ = leg.bound;
  if (bound_ == RateBound::host) {
    rates().note(leg.host_rate.value > 0 ? leg.host_rate : leg.rate, leg.rate_source);
  } else {
    rates().note(leg.bound_rate, transport::RateSource::shown);
  }
}

/// What is sent takes another time with another rate.
LegForecast ModelPlanner::with_range(const LegForecast& forecast, const Superstep& superstep) const {
  const auto both = [](transport::Duration one, double other) {
    return duration_of(std::hypot(transport::seconds(one), other));
  };
  const double seconds = transport::seconds(forecast.duration);
  const double sending = std::min(superstep.seconds() / (1 - superstep.path.loss), seconds);
  const auto [usual, least, most] = rates().factors(sending);
  return {.duration = duration_of(seconds + sending * (usual - 1)),
          .earlier = both(forecast.earlier, sending * (usual - least)),
          .later = both(forecast.later, sending * (most - usual))};
}

LegForecast ModelPlanner::plan_rounds(const LegOutline& leg, const Superstep& rounded,
                                      std::span<MessagePlan> plans) const {
  const int copies = is_fixed() ? options_.copies : best_copies_in_rounds(rounded, leg.recovery);
  std::ranges::fill(plans, MessagePlan{.copies = copies});
  if (!can_forecast(leg)) return {};
  return {.duration = duration_of(seconds_in_rounds(rounded, leg.recovery, copies))};
}

void ModelPlanner::protect(const LegOutline& leg, const Choice& choice, std::span<MessagePlan> plans) const {
  double blocks = 0;
  for (const PlannedMessage& message : leg.messages)
    blocks += leg.size * Blocks(segments_of(message), protocol().limits.block_segments).count();
  const bool any_far =
      std::ranges::any_of(leg.messages, [](const PlannedMessage& message) { return !message.near; });
  Path last;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const PlannedMessage& message = leg.messages[i];
    const int segments = segments_of(message);
    if (is_fixed()) {
      plans[i] = plan_of(given_protection(options_, segments), message, blocks);
      continue;
    }
    // What is lost within the host is repaired long before answers come from others.
    if (message.near && any_far) {
      plans[i] = {.coded = segments > 1 && options_.redundancy != Redundancy::copies};
      continue;
    }
    const Path path = rounded(path_of(message.path));
    const bool as_last = i > 0 && message.near == leg.messages[i - 1].near &&
                         message.segments == leg.messages[i - 1].segments && path.loss == last.loss &&
                         path.loss_after_loss == last.loss_after_loss;
    plans[i] = as_last ? plans[i - 1] : plan_of(choice.adapted(segments, path, protocol()), message, blocks);
    last = path;
  }
}

int ModelPlanner::repairs_for(int lacking, int earlier, const transport::PathForecast& path) const {
  return model::superstep::repairs_for(protocol().repairs, lacking, earlier,
                                       std::clamp(path.loss, 0., most_loss));
}

}  // namespace lbsp::plan
