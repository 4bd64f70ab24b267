#include "transport/queues/longer_path.hpp"

#include <algorithm>
#include <chrono>

namespace lbsp::transport {
namespace {

/// The least queue in each of so many windows is looked at.
constexpr Duration least_window = std::chrono::milliseconds{200};
constexpr int round_trips_of_window = 2;
constexpr int windows_to_last = 5;

/// A queue that is longer stands.
constexpr Duration least_standing_queue = std::chrono::milliseconds{3};
constexpr int part_of_round_trip = 10;

/// From the shortest of the windows to the longest.
constexpr double most_change = 1.25;
/// Of what the path has become longer by, so much came at once.
constexpr double part_at_once = 0.8;
/// Shorter ones may be a slow link's, on which a datagram takes that long.
constexpr Duration least_longer = std::chrono::milliseconds{20};
constexpr double noise_of_window = 0.05;
/// More is that of a flood, as a rank begins with.
constexpr double most_loss_of_window = 0.4;
constexpr double weight_of_window = 0.25;

}  // namespace

void LongerPath::note(const QueueSample& sample, Duration round_trip) {
  if (sample.queue < longer_ / 2) longer_ = Duration{0};
  least_ = std::min(least_, sample.queue);
  sent_ += sample.datagrams;
  arrived_ += sample.arrived;
  const Duration window = std::max<Duration>(least_window, round_trips_of_window * round_trip);
  if (sample.sent_at - window_begun_ < window) return;
  const auto sent = static_cast<double>(std::max<std::uint64_t>(sent_, 1));
  const double loss = 1 - std::min(1.0, static_cast<double>(arrived_) / sent);
  if (least_ - longer_ <= std::max(least_standing_queue, round_trip / part_of_round_trip)) {
    note_usual(loss);
  } else {
    note_standing(loss, sample.variation);
  }
  window_begun_ = sample.sent_at;
  least_ = Duration::max();
  sent_ = arrived_ = 0;
}

void LongerPath::note_usual(double loss) {
  windows_ = 0;
  if (loss > most_loss_of_window) return;
  usual_loss_ = usual_loss_ ? *usual_loss_ + weight_of_window * (loss - *usual_loss_) : loss;
}

/// A queue seemed to stand in the window.
void LongerPath::note_standing(double loss, double variation) {
  if (!usual_loss_ || loss > *usual_loss_ + noise_of_window) {
    windows_ = 0;
    return;
  }
  shortest_ = windows_ > 0 ? std::min(shortest_, least_) : least_;
  longest_ = windows_ > 0 ? std::max(longest_, least_) : least_;
  if (seconds(longest_) > most_change * seconds(shortest_)) {
    windows_ = 0;
    shortest_ = longest_ = least_;
  }
  const bool at_once = variation > part_at_once * seconds(shortest_);
  if (++windows_ < windows_to_last || !at_once || shortest_ <= least_longer) return;
  longer_ = shortest_;
  windows_ = 0;
}

}  // namespace lbsp::transport
