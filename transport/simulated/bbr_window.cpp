#include "transport/simulated/bbr_window.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr double high_gain = 2.885;  // 2/ln 2: doubles the rate in each round
constexpr double window_gain = 2;
constexpr std::uint64_t rate_rounds = 10;
constexpr Duration round_trip_lasts = 10s;
constexpr Duration probe_lasts = 200ms;
constexpr std::array<double, 8> cycle_gains{1.25, 0.75, 1, 1, 1, 1, 1, 1};

}  // namespace

void BbrWindow::acknowledge(const TcpAcknowledgement& acknowledgement) {
  count_rounds(acknowledgement);
  sample_rate(acknowledgement.segments_per_second);
  sample_round_trip(acknowledgement);
  look_for_full_pipe();
  advance(acknowledgement);
  const double target = (phase_ == Phase::startup ? high_gain : window_gain) * product();
  window_ = phase_ == Phase::startup ? window_ + (window_ < target ? 1 : 0) : std::min(window_ + 1, target);
  window_ = std::max(window_, fewest);
}

void BbrWindow::time_out(Instant /*now*/) {
  window_ = 1;
}

std::optional<Duration> BbrWindow::spacing() const {
  if (rates_.empty()) return std::nullopt;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(1 / (gain() * rates_.front().rate)));
}

void BbrWindow::count_rounds(const TcpAcknowledgement& acknowledgement) {
  round_began_ = acknowledgement.number >= round_ends_;
  if (!round_began_) return;
  ++round_;
  round_ends_ = acknowledgement.next;
}

void BbrWindow::sample_rate(double rate) {
  while (!rates_.empty() && rates_.front().round + rate_rounds < round_)
    rates_.pop_front();
  while (!rates_.empty() && rates_.back().rate <= rate)
    rates_.pop_back();
  rates_.push_back({round_, rate});
}

void BbrWindow::sample_round_trip(const TcpAcknowledgement& acknowledgement) {
  const Instant now = acknowledgement.now;
  const bool old = least_ != Duration::max() && now > least_at_ + round_trip_lasts;
  if (acknowledgement.round_trip <= least_ || old) {
    least_ = acknowledgement.round_trip;
    least_at_ = now;
  }
  if (old && phase_ != Phase::probe_round_trip) {
    phase_ = Phase::probe_round_trip;
    phase_began_ = now;
  }
}

void BbrWindow::look_for_full_pipe() {
  if (phase_ != Phase::startup || !round_began_) return;
  if (rates_.front().rate >= 1.25 * full_rate_) {
    full_rate_ = rates_.front().rate;
    rounds_without_growth_ = 0;
  } else if (++rounds_without_growth_ >= 3) {
    phase_ = Phase::drain;
  }
}

void BbrWindow::advance(const TcpAcknowledgement& acknowledgement) {
  const Instant now = acknowledgement.now;
  switch (phase_) {
    case Phase::startup:
      break;
    case Phase::drain:
      if (static_cast<double>(acknowledgement.in_flight) <= product()) enter_probe_rate(now);
      break;
    case Phase::probe_rate:
      advance_cycle(acknowledgement);
      break;
    case Phase::probe_round_trip:
      if (now < phase_began_ + probe_lasts + least_) break;
      least_at_ = now;
      enter_probe_rate(now);
      break;
  }
}

void BbrWindow::advance_cycle(const TcpAcknowledgement& acknowledgement) {
  const bool long_enough = acknowledgement.now > phase_began_ + least_;
  const double gain = cycle_gains[cycle_];
  const auto in_flight = static_cast<double>(acknowledgement.in_flight);
  const bool filled = in_flight >= gain * product();
  const bool drained = in_flight <= product();
  const bool over = gain > 1 ? long_enough && (filled || acknowledgement.now > phase_began_ + 2 * least_)
                             : long_enough || (gain < 1 && drained);
  if (!over) return;
  cycle_ = (cycle_ + 1) % cycle_gains.size();
  phase_began_ = acknowledgement.now;
}

void BbrWindow::enter_probe_rate(Instant now) {
  phase_ = Phase::probe_rate;
  phase_began_ = now;
  // Two flows should not probe at the same time; which phase comes first follows from the time.
  cycle_ = 2 + static_cast<std::size_t>(now.time_since_epoch().count() / 1000) % 6;
}

double BbrWindow::product() const {
  if (rates_.empty() || least_ == Duration::max()) return 10;
  return rates_.front().rate * std::chrono::duration<double>(least_).count();
}

double BbrWindow::gain() const {
  switch (phase_) {
    case Phase::startup:
      return high_gain;
    case Phase::drain:
      return 1 / high_gain;
    case Phase::probe_rate:
      return cycle_gains[cycle_];
    case Phase::probe_round_trip:
      break;
  }
  return 1;
}

}  // namespace lbsp::transport
