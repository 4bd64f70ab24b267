#include "lbsp/plan/outline.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <vector>

#include "transport/wire/format.hpp"

namespace lbsp::plan {
namespace {

using model::superstep::Path;
using transport::seconds;

/// How many lost datagrams must stand behind an estimate of what follows them.
constexpr double losses_to_tell = 20;
/// For which what goes before anything is known is chosen: copies that are sent for nothing make round trips look long,
/// for which more of them are sent.
constexpr std::chrono::milliseconds unknown_round_trip{10};
/// Answers come while messages of so many segments are still being sent, and what they need in advance is little beside
/// them.
constexpr int long_message = 8;

/// A queue has left where the newest round trip takes less than this of what they take in the mean.
constexpr double left_queue = 0.5;

bool has_long_messages(const transport::LegOutline& leg) {
  return std::ranges::any_of(leg.messages,
                             [](const auto& message) { return segments_of(message) >= long_message; });
}

bool has_left_queue(const transport::PlannedMessage& message) {
  const transport::PathForecast& path = message.path;
  return path.newest_round_trip > transport::Duration::zero() &&
         seconds(path.newest_round_trip) < left_queue * seconds(path.round_trip);
}

transport::PlannedMessage without_left_queue(transport::PlannedMessage message) {
  if (!has_left_queue(message)) return message;
  transport::PathForecast& path = message.path;
  const double part = seconds(path.newest_round_trip) / seconds(path.round_trip);
  path.round_trip = path.newest_round_trip;
  path.round_trip_variation =
      std::chrono::duration_cast<transport::Duration>(part * path.round_trip_variation);
  return message;
}

transport::Duration least_round_trip(const transport::PathForecast& path) {
  if (!path.round_trip_known) return std::min<transport::Duration>(path.round_trip, unknown_round_trip);
  return path.least_round_trip > transport::Duration::zero() ? path.least_round_trip : path.round_trip;
}

/// All, if none goes to another host.
std::vector<transport::PlannedMessage> to_other_hosts(const transport::LegOutline& leg) {
  std::vector<transport::PlannedMessage> far;
  std::ranges::copy_if(leg.messages, std::back_inserter(far),
                       [](const transport::PlannedMessage& message) { return !message.near; });
  if (far.empty()) far.assign(leg.messages.begin(), leg.messages.end());
  return far;
}

/// Each of the leg's lengths needs a plan.
bool has_all_lengths(const std::vector<transport::PlannedMessage>& messages,
                     const transport::LegOutline& leg) {
  return std::ranges::all_of(leg.messages, [&](const transport::PlannedMessage& message) {
    return std::ranges::find(messages, message.segments, &transport::PlannedMessage::segments) !=
           messages.end();
  });
}

}  // namespace

int segments_of(const transport::PlannedMessage& message) {
  return static_cast<int>(std::min<std::uint32_t>(message.segments, 1'000'000'000));
}

Path path_of(const transport::PathForecast& path) {
  Path out{.round_trip = seconds(path.round_trip),
           .round_trip_variation = seconds(path.round_trip_variation),
           .loss = path.loss};
  const double lost = path.loss * path.loss_sample;
  if (lost < losses_to_tell) return out;
  const double deviation = std::sqrt(path.loss * (1 - path.loss) / lost);
  if (path.loss_after_loss >= path.loss + 2 * deviation) out.loss_after_loss = path.loss_after_loss;
  return out;
}

model::superstep::Superstep superstep_of(const transport::LegOutline& leg) {
  model::superstep::Superstep superstep;
  superstep.ranks = leg.size;
  superstep.messages.reserve(leg.messages.size());
  Path sum;
  double lost_again = 0;
  for (const transport::PlannedMessage& message : leg.messages) {
    const Path path = path_of(message.path);
    sum.loss += path.loss;
    lost_again += path.lost_again();
    sum.round_trip = std::max(sum.round_trip, path.round_trip);
    sum.round_trip_variation += path.round_trip_variation;
    const bool in_rounds = leg.recovery != transport::Recovery::receiver;
    const std::size_t overhead = transport::data_overhead(message.bytes, in_rounds);
    const double bytes =
        static_cast<double>(message.bytes) + static_cast<double>(overhead) * message.segments;
    superstep.messages.push_back({1, segments_of(message), bytes / message.segments / leg.rate.value});
  }
  const auto count = static_cast<double>(leg.messages.size());
  superstep.path = {sum.round_trip, sum.round_trip_variation / count, sum.loss / count, lost_again / count};
  return superstep;
}

model::superstep::Superstep superstep_to_forecast(const transport::LegOutline& leg) {
  if (has_long_messages(leg) || std::ranges::none_of(leg.messages, has_left_queue)) return superstep_of(leg);
  std::vector<transport::PlannedMessage> messages;
  std::ranges::transform(leg.messages, std::back_inserter(messages), without_left_queue);
  transport::LegOutline counted = leg;
  counted.messages = messages;
  return superstep_of(counted);
}

model::superstep::Superstep superstep_without_queues(const transport::LegOutline& leg) {
  if (has_long_messages(leg)) return superstep_of(leg);
  const std::vector<transport::PlannedMessage> far = to_other_hosts(leg);
  transport::LegOutline counted = leg;
  if (has_all_lengths(far, leg)) counted.messages = far;
  model::superstep::Superstep superstep = superstep_of(counted);
  double sum = 0;
  for (const transport::PlannedMessage& message : far)
    sum += seconds(least_round_trip(message.path));
  Path& path = superstep.path;
  if (const double least = sum / static_cast<double>(far.size()); path.round_trip > least) {
    path.round_trip_variation *= least / path.round_trip;
    path.round_trip = least;
  }
  if (leg.pause) superstep.pause = seconds(*leg.pause);
  return superstep;
}

}  // namespace lbsp::plan
