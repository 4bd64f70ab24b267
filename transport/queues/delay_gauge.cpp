#include "transport/queues/delay_gauge.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

/// A median follows its values by so much a value.
constexpr double median_step = 1.05;
/// At first, while it is a guess.
constexpr double first_step = 1.3;
constexpr double least_usual_jump = 1e-5;  // seconds

/// A delay that becomes longer by more than this, and than senders fill a queue who send so many times what a link
/// carries, does so for other reasons.
constexpr double least_variation = 0.6e-3;  // seconds
constexpr double most_filling = 4;

}  // namespace

Duration DelayGauge::add(Instant sent, std::uint32_t microseconds, Duration sending) {
  const Duration delay_before = queue_.delay();
  const Duration queue = queue_.add(sent, microseconds);
  const Duration gap = sent - std::exchange(last_sent_, sent);
  note_variation(queue_.delay() - delay_before, std::max(gap, sending), sent);
  note_jump(queue, gap);
  return queue;
}

void DelayGauge::note_variation(Duration change, Duration sending, Instant sent) {
  const double longer = seconds(change);
  const bool at_once = longer > least_variation + most_filling * seconds(sending);
  if (at_once || longer < 0) jumped_ = std::max(0.0, jumped_ + longer);
  variation_.add(jumped_, sent);
}

/// The second difference, because a queue that grows steadily makes a steady first one; over times that differ, as most
/// datagrams are lost, it makes one that is as steady for the time.
void DelayGauge::note_jump(Duration queue, Duration gap) {
  const Duration change = queue - std::exchange(last_queue_, queue);
  const Duration change_before = std::exchange(last_change_, change);
  const Duration gap_before = std::exchange(last_gap_, gap);
  in_burst_ = gap <= pause_ ? std::min(in_burst_ + 1, 3) : 0;
  if (in_burst_ < 3) return;
  double jump = std::abs(seconds(change - change_before));
  if (change > Duration{0} && change_before > Duration{0} && gap_before > Duration{0})
    jump = std::min(
        jump, std::abs(seconds(change) - seconds(change_before) * (seconds(gap) / seconds(gap_before))));
  const double step = first_steps_ > 0 ? first_step : median_step;
  first_steps_ = std::max(first_steps_ - 1, 0);
  usual_jump_ = std::max(jump > usual_jump_ ? usual_jump_ * step : usual_jump_ / step, least_usual_jump);
}

}  // namespace lbsp::transport
