#include "transport/queues/longer_path.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

/// The least queue in each of so many windows is looked at.
constexpr Duration least_window = std::chrono::milliseconds{200};
constexpr int round_trips_of_window = 2;
constexpr int windows_to_last = 5;
/// Where it stays exactly the same although so many times as much is sent in one as in another.
constexpr int windows_to_last_exactly = 3;
constexpr double exactly = 1.02;
constexpr double much_more = 1.25;

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
/// Where a queue has seemed to stand from the beginning.
constexpr double loss_if_unknown = 0.1;
/// More is that of a flood, as a rank begins with.
constexpr double most_loss_of_window = 0.4;
constexpr double weight_of_window = 0.25;
/// After the first mistake; twice as long after each further one.
constexpr Duration doubt_after_mistake = std::chrono::seconds{10};

}  // namespace

void LongerPath::note(const QueueSample& sample, Duration round_trip) {
  if (window_begun_ == Instant{}) window_begun_ = sample.sent_at;
  ++samples_;
  if (sample.queue < longer_ / 2) ++short_samples_;
  // One that took a shorter way says nothing of the others.
  least_ = std::min(least_, std::max(sample.queue, std::exchange(last_, sample.queue)));
  sent_ += sample.datagrams;
  arrived_ += sample.arrived;
  bytes_ += sample.bytes;
  const Duration lasted = sample.sent_at - window_begun_;
  if (lasted < std::max<Duration>(least_window, round_trips_of_window * round_trip)) return;
  if (2 * short_samples_ >= samples_) longer_ = Duration{0};
  const auto sent = static_cast<double>(std::max<std::uint64_t>(sent_, 1));
  const double loss = 1 - std::min(1.0, static_cast<double>(arrived_) / sent);
  if (longer_ > Duration{0}) check(sent, loss, sample.sent_at);
  if (least_ - longer_ <= std::max(least_standing_queue, round_trip / part_of_round_trip)) {
    note_usual(loss);
  } else {
    note_standing(sent, loss, static_cast<double>(bytes_) / seconds(lasted));
    if (lasts(sample.variation) && sample.sent_at >= doubted_until_) believe();
  }
  window_begun_ = sample.sent_at;
  least_ = Duration::max();
  sent_ = arrived_ = bytes_ = 0;
  samples_ = short_samples_ = 0;
}

void LongerPath::note_usual(double loss) {
  windows_ = 0;
  if (loss > most_loss_of_window) return;
  usual_loss_ = usual_loss_ ? *usual_loss_ + weight_of_window * (loss - *usual_loss_) : loss;
}

/// A queue seemed to stand in the window.
void LongerPath::note_standing(double sent, double loss, double rate) {
  if (loss > usual_loss_.value_or(loss_if_unknown) + noise_of_window) {
    windows_ = 0;
    return;
  }
  if (windows_ == 0 ||
      seconds(std::max(longest_, least_)) > most_change * seconds(std::min(shortest_, least_))) {
    windows_ = 0;
    standing_sent_ = standing_lost_ = 0;
    shortest_ = longest_ = least_;
    least_rate_ = most_rate_ = rate;
  }
  shortest_ = std::min(shortest_, least_);
  longest_ = std::max(longest_, least_);
  least_rate_ = std::min(least_rate_, rate);
  most_rate_ = std::max(most_rate_, rate);
  standing_sent_ += sent;
  standing_lost_ += sent * loss;
  ++windows_;
}

void LongerPath::believe() {
  longer_ = shortest_;
  windows_ = 0;
  believed_loss_ = standing_lost_ / standing_sent_;
  sent_since_ = lost_since_ = 0;
}

/// More loss than when it was believed: others keep a queue full, and this rank sends ever more into it.
void LongerPath::check(double sent, double loss, Instant now) {
  sent_since_ += sent - weight_of_window * sent_since_;
  lost_since_ += sent * loss - weight_of_window * lost_since_;
  const double by_chance = 2 * std::sqrt(lost_since_);
  if (lost_since_ - by_chance <= (believed_loss_ + noise_of_window) * sent_since_) return;
  longer_ = Duration{0};
  doubt_ = std::max(doubt_after_mistake, 2 * doubt_);
  doubted_until_ = now + doubt_;
}

bool LongerPath::lasts(double variation) const {
  const bool same = seconds(longest_) <= exactly * seconds(shortest_) && most_rate_ > much_more * least_rate_;
  if (same && windows_ >= windows_to_last_exactly) return true;
  const bool at_once = variation > part_at_once * seconds(shortest_);
  return usual_loss_ && at_once && windows_ >= windows_to_last && shortest_ > least_longer;
}

}  // namespace lbsp::transport
