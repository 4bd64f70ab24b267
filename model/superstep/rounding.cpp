#include "model/superstep/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::model::superstep {
namespace {

/// Quantities are rounded to powers of these.
struct Steps {
  double loss, time, variation;
};
constexpr Steps fine_steps{1.1, 1.02, 2};
constexpr Steps coarse_steps{1.3, 1.25, 8};
constexpr double length_step = 1.1;
constexpr double coarse_length_step = 4;
/// Protections of messages shorter than this are found in no time.
constexpr int long_message = 32;
constexpr double alike_step = 1.2;
constexpr int exact_segments = 16;
constexpr std::size_t most_kinds = 4;
/// A loss below this is as good as none: one datagram in a million.
constexpr double least_loss = 1e-6;
constexpr double most_loss = 0.9;
/// Between these, a pause may decide what is sent.
constexpr double least_pause = 1e-3;
constexpr double most_pause = 1;
constexpr double pause_step = 4;

double rounded(double value, double step) {
  return value <= 0 ? 0 : std::pow(step, std::round(std::log(value) / std::log(step)));
}

int rounded_segments(int segments, double step) {
  if (segments <= 1 || (segments <= exact_segments && step < 2)) return segments;
  const double value = std::max(2., rounded(static_cast<double>(segments), step));
  return static_cast<int>(std::lround(std::min(value, 1e9)));
}

bool has_long(const Superstep& superstep) {
  return !superstep.messages.empty() && superstep.messages.back().segments >= long_message;
}

std::vector<Messages> kinds_of(const std::vector<Messages>& all, double length_rounding) {
  std::vector<Messages> kinds;
  for (const Messages& each : all) {
    const int segments = rounded_segments(each.segments, length_rounding);
    auto kind = std::ranges::find(kinds, segments, &Messages::segments);
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), Messages{0, segments, 0});
    kind->per_rank += each.per_rank;
    // As the kind's length is rounded, so that its load is right.
    kind->segment_seconds += each.per_rank * each.segment_seconds * each.segments / segments;
  }
  for (Messages& kind : kinds)
    kind.segment_seconds = rounded(kind.segment_seconds / kind.per_rank, fine_steps.time);
  std::ranges::sort(kinds, {}, &Messages::segments);
  return kinds;
}

double rounded_loss(double loss, double step) {
  return loss < least_loss ? 0 : std::min(rounded(loss, step), most_loss);
}

std::optional<double> rounded_pause(const std::optional<double>& pause) {
  if (!pause) return {};
  return *pause < least_pause ? 0 : rounded(std::min(*pause, most_pause), pause_step);
}

Path rounded(const Path& path, const Steps& steps) {
  const double loss = rounded_loss(path.loss, steps.loss);
  return {.round_trip = rounded(path.round_trip, steps.time),
          .round_trip_variation = rounded(path.round_trip_variation, steps.variation),
          .loss = loss,
          .loss_after_loss = std::max(loss, rounded_loss(path.lost_again(), steps.loss))};
}

}  // namespace

Path rounded(const Path& path) {
  return rounded(path, fine_steps);
}

Superstep rounded(const Superstep& exact) {
  Superstep out{exact.ranks, rounded(exact.path), kinds_of(exact.messages, length_step),
                rounded_pause(exact.pause)};
  if (out.messages.size() > most_kinds) out.messages = kinds_of(exact.messages, coarse_length_step);
  return out;
}

Superstep coarse(Superstep superstep) {
  if (!has_long(superstep)) return superstep;
  superstep.path = rounded(superstep.path, coarse_steps);
  for (Messages& kind : superstep.messages)
    kind.segment_seconds = rounded(kind.segment_seconds, coarse_steps.time);
  return superstep;
}

bool nearly_alike(const Superstep& a, const Superstep& b) {
  const auto alike = [](const Messages& one, const Messages& other) {
    return one.segments == other.segments && one.per_rank == other.per_rank &&
           within(one.segment_seconds, other.segment_seconds, alike_step);
  };
  const double variation = (has_long(a) ? coarse_steps : fine_steps).variation;
  return a.ranks == b.ranks && a.pause == b.pause && std::ranges::equal(a.messages, b.messages, alike) &&
         within(a.path.loss, b.path.loss, alike_step) &&
         within(a.path.lost_again(), b.path.lost_again(), alike_step) &&
         within(a.path.round_trip, b.path.round_trip, alike_step) &&
         within(a.path.round_trip_variation, b.path.round_trip_variation, variation);
}

std::size_t kind_of(const Superstep& superstep, int segments) {
  std::size_t nearest = 0;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < superstep.messages.size(); ++i) {
    const int other = superstep.messages[i].segments;
    if ((other == 1) != (segments == 1)) continue;
    const double distance = std::abs(std::log(static_cast<double>(segments) / other));
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  return nearest;
}

}  // namespace lbsp::model::superstep
