#include "lbsp/plan/superstep_shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "transport/wire/format.hpp"

namespace lbsp::plan {
namespace {

constexpr double loss_step = 1.1;
constexpr double time_step = 1.02;
constexpr double length_step = 1.1;
constexpr double variation_step = 2;
/// Plans for messages shorter than this are found in no time.
constexpr int long_message = 32;
constexpr double coarse_loss_step = 1.3;
constexpr double coarse_time_step = 1.25;
constexpr double coarse_variation_step = 8;
constexpr double coarse_length_step = 4;
constexpr double alike_step = 1.2;
constexpr int exact_segments = 16;
constexpr std::size_t most_kinds = 4;
/// A loss below this is as good as none: one datagram in a million.
constexpr double least_loss = 1e-6;
constexpr double most_loss = 0.9;
/// How many lost datagrams must stand behind an estimate of what follows them.
constexpr double losses_to_tell = 20;

double rounded(double value, double step) {
  return value <= 0 ? 0 : std::pow(step, std::round(std::log(value) / std::log(step)));
}

bool within(double a, double b, double factor) {
  return a <= b * factor && b <= a * factor;
}

double seconds(transport::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

int rounded_segments(std::uint32_t segments, double step) {
  if (segments <= 1 || (segments <= exact_segments && step < 2)) return static_cast<int>(segments);
  const double value = std::max(2., rounded(static_cast<double>(segments), step));
  return static_cast<int>(std::lround(std::min(value, 1e9)));
}

std::vector<ShapeKind> kinds_of(const transport::LegOutline& leg, double length_rounding) {
  std::vector<ShapeKind> kinds;
  for (const transport::PlannedMessage& message : leg.messages) {
    const int segments = rounded_segments(message.segments, length_rounding);
    auto kind = std::find_if(kinds.begin(), kinds.end(),
                             [&](const ShapeKind& each) { return each.segments == segments; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), ShapeKind{segments, 0, 0});
    ++kind->messages;
    const double bytes = static_cast<double>(message.bytes) +
                         static_cast<double>(transport::data_overhead_bytes) * message.segments;
    // As the kind's length is rounded, so that its load is right.
    kind->segment_seconds += bytes / segments / leg.rate.value;
  }
  for (ShapeKind& kind : kinds)
    kind.segment_seconds = rounded(kind.segment_seconds / kind.messages, time_step);
  std::sort(kinds.begin(), kinds.end(),
            [](const ShapeKind& a, const ShapeKind& b) { return a.segments < b.segments; });
  return kinds;
}

}  // namespace

double rounded_loss(double loss) {
  return loss < least_loss ? 0 : std::min(rounded(loss, loss_step), most_loss);
}

double rounded_loss_after_loss(const transport::PathForecast& path) {
  const double loss = rounded_loss(path.loss);
  const double lost = path.loss * path.loss_sample;
  const double deviation = std::sqrt(path.loss * (1 - path.loss) / std::max(lost, 1.));
  if (lost < losses_to_tell || path.loss_after_loss < path.loss + 2 * deviation) return loss;
  return std::clamp(rounded(path.loss_after_loss, loss_step), loss, most_loss);
}

std::size_t SuperstepShape::kind_of(int segments) const {
  std::size_t nearest = 0;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    // A message of one segment has no block: it is of its own kind.
    if ((kinds[i].segments == 1) != (segments == 1)) continue;
    const double distance = std::abs(std::log(static_cast<double>(segments) / kinds[i].segments));
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  return nearest;
}

SuperstepShape shape_of(const transport::LegOutline& leg) {
  SuperstepShape shape;
  shape.recovery = leg.recovery;
  shape.ranks = leg.size;
  double loss = 0;
  double after = 0;
  double variation = 0;
  for (const transport::PlannedMessage& message : leg.messages) {
    loss += message.path.loss;
    after += rounded_loss_after_loss(message.path);
    shape.round_trip = std::max(shape.round_trip, seconds(message.path.round_trip));
    variation += seconds(message.path.round_trip_variation);
  }
  const auto count = static_cast<double>(leg.messages.size());
  shape.loss = rounded_loss(loss / count);
  shape.loss_after_loss = std::max(shape.loss, rounded_loss(after / count));
  shape.round_trip = rounded(shape.round_trip, time_step);
  shape.round_trip_variation = rounded(variation / count, variation_step);
  shape.kinds = kinds_of(leg, length_step);
  if (shape.kinds.size() > most_kinds) shape.kinds = kinds_of(leg, coarse_length_step);
  return shape;
}

SuperstepShape coarse(SuperstepShape shape) {
  if (shape.kinds.empty() || shape.kinds.back().segments < long_message) return shape;
  shape.loss = std::min(rounded(shape.loss, coarse_loss_step), most_loss);
  shape.loss_after_loss = std::clamp(rounded(shape.loss_after_loss, coarse_loss_step), shape.loss, most_loss);
  shape.round_trip = rounded(shape.round_trip, coarse_time_step);
  shape.round_trip_variation = rounded(shape.round_trip_variation, coarse_variation_step);
  for (ShapeKind& kind : shape.kinds)
    kind.segment_seconds = rounded(kind.segment_seconds, coarse_time_step);
  return shape;
}

bool nearly_alike(const SuperstepShape& a, const SuperstepShape& b) {
  if (a.recovery != b.recovery || a.ranks != b.ranks || a.kinds.size() != b.kinds.size()) return false;
  for (std::size_t i = 0; i < a.kinds.size(); ++i) {
    if (a.kinds[i].segments != b.kinds[i].segments || a.kinds[i].messages != b.kinds[i].messages ||
        !within(a.kinds[i].segment_seconds, b.kinds[i].segment_seconds, alike_step)) {
      return false;
    }
  }
  const bool is_long = !a.kinds.empty() && a.kinds.back().segments >= long_message;
  const double variation = is_long ? coarse_variation_step : variation_step;
  return within(a.loss, b.loss, alike_step) && within(a.loss_after_loss, b.loss_after_loss, alike_step) &&
         within(a.round_trip, b.round_trip, alike_step) &&
         within(a.round_trip_variation, b.round_trip_variation, variation);
}

std::size_t ShapeHash::operator()(const SuperstepShape& shape) const {
  std::uint64_t hash =
      static_cast<std::uint64_t>(shape.ranks) * 31 + static_cast<std::uint64_t>(shape.recovery);
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15U + (hash >> 29); };
  for (const double value : {shape.loss, shape.loss_after_loss, shape.round_trip, shape.round_trip_variation})
    mix(std::bit_cast<std::uint64_t>(value));
  for (const ShapeKind& kind : shape.kinds) {
    mix(static_cast<std::uint64_t>(kind.segments) << 32 | static_cast<std::uint32_t>(kind.messages));
    mix(std::bit_cast<std::uint64_t>(kind.segment_seconds));
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace lbsp::plan
