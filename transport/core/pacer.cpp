#include "transport/core/pacer.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

constexpr double least_burst_datagrams = 4;

}  // namespace

Pacer::Pacer(BytesPerSecond rate, std::size_t datagram_bytes, Instant now)
    : bytes_per_nanosecond_(rate.value * 1e-9),
      capacity_(std::max(least_burst_datagrams * static_cast<double>(datagram_bytes),
                         bytes_per_nanosecond_ * static_cast<double>(burst.count()))),
      tokens_(capacity_),
      refilled_(now) {}

void Pacer::refill(Instant now) {
  if (now <= refilled_) return;
  const auto elapsed = static_cast<double>((now - refilled_).count());
  tokens_ = std::min(capacity_, tokens_ + elapsed * bytes_per_nanosecond_);
  refilled_ = now;
}

bool Pacer::may_send(Instant now) {
  refill(now);
  return tokens_ > 0;
}

Instant Pacer::next_release() const {
  // One nanosecond more than the exact time, because the bucket must be above zero then.
  const double wait = tokens_ > 0 ? 0 : std::ceil(-tokens_ / bytes_per_nanosecond_) + 1;
  return refilled_ + Duration{static_cast<Duration::rep>(std::min(wait, 1e18))};
}

}  // namespace lbsp::transport
