#include "lbsp/plan/outline.hpp"

#include <algorithm>
#include <cmath>

#include "transport/wire/format.hpp"

namespace lbsp::plan {
namespace {

using model::superstep::Path;
using transport::seconds;

/// How many lost datagrams must stand behind an estimate of what follows them.
constexpr double losses_to_tell = 20;

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

}  // namespace lbsp::plan
