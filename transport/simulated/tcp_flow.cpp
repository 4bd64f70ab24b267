#include "transport/simulated/tcp_flow.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t duplicates = 3;
constexpr double cubic_c = 0.4;
constexpr double cubic_beta = 0.7;
constexpr double reno_beta = 0.5;
constexpr Duration least_timeout = 200ms;

double seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

TcpFlow::TcpFlow(const Config& config, std::shared_ptr<Bottleneck> link)
    : config_(config), link_(std::move(link)), last_progress_(config.start) {}

Instant TcpFlow::timeout_at() const {
  const Duration timeout = smoothed_ == Duration{0} ? Duration{1s} : smoothed_ + 4 * variation_;
  return last_progress_ + std::max<Duration>(timeout, least_timeout);
}

Instant TcpFlow::next_event() const {
  if (next_ == 0) return config_.start < config_.end ? config_.start : never;
  if (in_flight_.empty()) return never;
  Instant next = timeout_at();
  for (const Segment& segment : in_flight_) {
    if (!segment.acknowledged) continue;
    next = std::min(next, *segment.acknowledged);
    break;
  }
  return next;
}

void TcpFlow::step() {
  const Instant now = next_event();
  if (next_ > 0) {
    const auto arrived = std::ranges::find_if(
        in_flight_, [](const Segment& segment) { return segment.acknowledged.has_value(); });
    if (arrived == in_flight_.end() || *arrived->acknowledged > now) {
      time_out(now);
    } else {
      const Segment segment = *arrived;
      in_flight_.erase(arrived);
      acknowledge(segment, now);
    }
  }
  send(now);
}

void TcpFlow::send(Instant now) {
  while (now < config_.end && static_cast<double>(in_flight_.size()) < std::max(1.0, std::floor(window_))) {
    const auto departure = link_->send(now, config_.segment_bytes);
    if (in_flight_.empty()) last_progress_ = now;
    in_flight_.push_back({next_++, now, std::nullopt});
    if (departure) in_flight_.back().acknowledged = *departure + config_.round_trip;
  }
}

void TcpFlow::acknowledge(const Segment& segment, Instant now) {
  ++delivered_;
  last_progress_ = now;
  sample(now - segment.sent);
  bool lost = false;
  while (!in_flight_.empty() && in_flight_.front().number + duplicates <= segment.number) {
    lost = lost || in_flight_.front().number >= recovered_at_;
    ++lost_;
    in_flight_.pop_front();
  }
  if (lost) {
    reduce();
  } else if (segment.number >= recovered_at_) {
    grow(now);
  }
}

void TcpFlow::sample(Duration round_trip) {
  if (least_ == Duration::max()) {
    smoothed_ = round_trip;
    variation_ = round_trip / 2;
  }
  least_ = std::min(least_, round_trip);
  variation_ += (std::chrono::abs(smoothed_ - round_trip) - variation_) / 4;
  smoothed_ += (round_trip - smoothed_) / 8;
  // HyStart (RFC 9406) without its conservative phase: a queue has begun to grow.
  const bool starting = config_.control == CongestionControl::cubic && window_ < threshold_ && window_ >= 16;
  if (starting && smoothed_ > least_ + std::clamp<Duration>(least_ / 8, 4ms, 16ms)) threshold_ = window_;
}

void TcpFlow::grow(Instant now) {
  if (window_ < threshold_) {
    window_ += 1;
  } else if (config_.control == CongestionControl::reno) {
    window_ += 1 / window_;
  } else {
    window_ = cubic_window(now);
  }
}

double TcpFlow::cubic_window(Instant now) {
  if (!epoch_) {
    epoch_ = now;
    highest_ = std::max(highest_, window_);
    friendly_ = window_;
  }
  const double since = seconds(now - *epoch_ + smoothed_);
  const double k = std::cbrt(highest_ * (1 - cubic_beta) / cubic_c);
  const double target = std::clamp(cubic_c * std::pow(since - k, 3) + highest_, window_, 1.5 * window_);
  friendly_ += (friendly_ < highest_ ? 3 * (1 - cubic_beta) / (1 + cubic_beta) : 1) / window_;
  return std::max(window_ + (target - window_) / window_, friendly_);
}

void TcpFlow::reduce() {
  const double beta = config_.control == CongestionControl::cubic ? cubic_beta : reno_beta;
  // Fast convergence: a flow that did not get as far as before leaves room for others.
  highest_ = window_ < highest_ ? window_ * (1 + cubic_beta) / 2 : window_;
  window_ = std::max(2.0, window_ * beta);
  threshold_ = window_;
  epoch_.reset();
  recovered_at_ = next_;
}

void TcpFlow::time_out(Instant now) {
  lost_ += in_flight_.size();
  in_flight_.clear();
  reduce();
  window_ = 1;
  last_progress_ = now;
}

}  // namespace lbsp::transport
