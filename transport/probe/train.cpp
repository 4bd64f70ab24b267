#include "transport/probe/train.hpp"

#include "transport/probe/statistics.hpp"

namespace lbsp::transport::probe {

using transport::Duration;
using transport::Instant;

void TrainReceiver::take(std::uint32_t index, Duration sent, Instant now) {
  if (index >= plan_.count) return;
  if (seen_.received == 0 || index < seen_.first) {
    seen_.first = index;
    first_arrival_ = now;
  }
  if (seen_.received == 0 || index > seen_.last) {
    seen_.last = index;
    last_arrival_ = now;
  }
  if (seen_.received > 0 && index == previous_ + 1) {
    ++seen_.neighbours;
    seen_.between += now - previous_arrival_;
  }
  ++seen_.received;
  previous_ = index;
  previous_arrival_ = now;
  const auto under_way = static_cast<double>((now.time_since_epoch() - sent).count());
  if (index < plan_.count / 3) early_.push_back(under_way);
  if (index >= plan_.count - plan_.count / 3) late_.push_back(under_way);
}

TrainSeen TrainReceiver::seen() const {
  TrainSeen seen = seen_;
  if (seen.received > 0) seen.span = last_arrival_ - first_arrival_;
  if (!early_.empty() && !late_.empty()) {
    auto early = early_;
    auto late = late_;
    seen.growth = Duration{static_cast<Duration::rep>(quantile(late, 0.5) - quantile(early, 0.5))};
  }
  return seen;
}

}  // namespace lbsp::transport::probe
