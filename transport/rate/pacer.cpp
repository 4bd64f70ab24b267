#include "transport/rate/pacer.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

double nanoseconds(Duration duration) {
  return static_cast<double>(duration.count());
}

}  // namespace

Pacer::Pacer(BytesPerSecond rate, Burst least_burst, Instant now)
    : least_burst_(least_burst), refilled_(now) {
  use(rate);
  tokens_ = idle_capacity_;
}

void Pacer::use(BytesPerSecond rate) {
  bytes_per_nanosecond_ = rate.value * 1e-9;
  const auto in = [&](Duration time) { return bytes_per_nanosecond_ * nanoseconds(time); };
  const double least = std::min(static_cast<double>(least_burst_.bytes), in(least_burst_.longest));
  idle_capacity_ = std::max(least, in(protocol::idle_burst));
  late_capacity_ = std::max(idle_capacity_, in(longest_lateness));
}

void Pacer::set_rate(BytesPerSecond rate, Instant now) {
  refill(now);
  use(rate);
  tokens_ = std::min(tokens_, idle_capacity_);
}

void Pacer::adjust_rate(BytesPerSecond rate, Instant now) {
  refill(now);
  use(rate);
}

void Pacer::refill(Instant now) {
  if (now <= refilled_) return;
  const double capacity = refused_ ? late_capacity_ : idle_capacity_;
  tokens_ = std::min(capacity, tokens_ + nanoseconds(now - refilled_) * bytes_per_nanosecond_);
  refilled_ = now;
}

bool Pacer::may_send(Instant now) {
  refill(now);
  refused_ = tokens_ <= 0;
  return !refused_;
}

Instant Pacer::next_release() const {
  // One nanosecond more than the exact time, because the bucket must be above zero then.
  const double wait = tokens_ > 0 ? 0 : std::ceil(-tokens_ / bytes_per_nanosecond_) + 1;
  return refilled_ + Duration{static_cast<Duration::rep>(std::min(wait, 1e18))};
}

}  // namespace lbsp::transport
