#include "transport/simulated/tcp_flow.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t duplicates = 3;
constexpr Duration least_timeout = 200ms;

}  // namespace

TcpFlow::TcpFlow(const Config& config, std::shared_ptr<Bottleneck> link)
    : config_(config),
      link_(std::move(link)),
      window_(make_tcp_window(config.control)),
      last_progress_(config.start),
      next_send_(config.start) {}

Instant TcpFlow::timeout_at() const {
  if (in_flight_.empty()) return never;
  const Duration timeout = smoothed_ == 0ns ? Duration{1s} : smoothed_ + 4 * variation_;
  return last_progress_ + std::max<Duration>(timeout, least_timeout);
}

/// Of the acknowledgement that comes next.
Instant TcpFlow::arrival() const {
  const auto arriving = std::ranges::find_if(
      in_flight_, [](const Segment& segment) { return segment.acknowledged.has_value(); });
  return arriving == in_flight_.end() ? never : *arriving->acknowledged;
}

bool TcpFlow::may_send(Instant now) const {
  return now < config_.end && delivered_ + in_flight_.size() < config_.segments &&
         static_cast<double>(in_flight_.size() + 1) <= std::max(1.0, window_->segments());
}

Instant TcpFlow::next_event() const {
  const Instant sending = may_send(next_send_) ? next_send_ : never;
  return std::min({sending, arrival(), timeout_at()});
}

void TcpFlow::step() {
  const Instant now = next_event();
  if (now == never) return;
  if (arrival() <= now) {
    const auto arrived = std::ranges::find_if(
        in_flight_, [](const Segment& segment) { return segment.acknowledged.has_value(); });
    const Segment segment = *arrived;
    in_flight_.erase(arrived);
    acknowledge(segment, now);
  } else if (timeout_at() <= now) {
    time_out(now);
  }
  send(now);
}

void TcpFlow::send(Instant now) {
  while (next_send_ <= now && may_send(now)) {
    Ecn ecn = config_.ecn ? Ecn::capable : Ecn::none;
    const auto departure = link_->send(now, config_.segment_bytes, ecn);
    if (in_flight_.empty()) last_progress_ = now;
    in_flight_.push_back({next_++, now, std::nullopt, delivered_, last_progress_, ecn == Ecn::marked});
    if (departure) in_flight_.back().acknowledged = *departure + config_.round_trip;
    next_send_ = now + window_->spacing().value_or(0ns);
  }
  next_send_ = std::max(next_send_, now);  // what waits for room in the window goes as soon as there is some
}

void TcpFlow::acknowledge(const Segment& segment, Instant now) {
  ++delivered_;
  last_progress_ = now;
  if (delivered_ == config_.segments) finished_ = now;
  sample(now - segment.sent);
  bool lost = segment.marked && segment.number >= recovered_at_;
  while (!in_flight_.empty() && in_flight_.front().number + duplicates <= segment.number) {
    lost = lost || in_flight_.front().number >= recovered_at_;
    ++lost_;
    in_flight_.pop_front();
  }
  if (lost) {
    window_->reduce(now);
    recovered_at_ = next_;
  }
  const std::chrono::duration<double> since = now - segment.delivered_at;
  window_->acknowledge(
      {.now = now,
       .round_trip = now - segment.sent,
       .number = segment.number,
       .next = next_,
       .in_flight = in_flight_.size(),
       .segments_per_second = static_cast<double>(delivered_ - segment.delivered) / since.count(),
       .recovering = segment.number < recovered_at_});
}

void TcpFlow::sample(Duration round_trip) {
  if (smoothed_ == 0ns) {
    smoothed_ = round_trip;
    variation_ = round_trip / 2;
  }
  variation_ += (std::chrono::abs(smoothed_ - round_trip) - variation_) / 4;
  smoothed_ += (round_trip - smoothed_) / 8;
}

void TcpFlow::time_out(Instant now) {
  lost_ += in_flight_.size();
  in_flight_.clear();
  window_->time_out(now);
  recovered_at_ = next_;
  last_progress_ = now;
}

}  // namespace lbsp::transport
