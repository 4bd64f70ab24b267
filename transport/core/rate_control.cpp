#include "transport/core/rate_control.hpp"

#include <utility>

namespace lbsp::transport {

RateControl::RateControl(const ExchangeOptions& options, double usual_loss, Instant now)
    : rate_(options.rate), pacer_(rate_, options.datagram_bytes, now) {
  // The rounds of the paper's schemes are as long as the rate that the options name makes them.
  if (options.find_rate && options.recovery == Recovery::receiver) {
    finder_.emplace(options.rate, highest_found_rate, usual_loss);
  }
}

std::uint32_t RateControl::train() {
  if (paused_) ++train_;
  paused_ = false;
  return train_;
}

bool RateControl::echoed(TrainMark& last, const TrainMark& mark, Instant now) {
  const TrainMark before = std::exchange(last, mark);
  if (!finder_ || before.train != mark.train || mark.train < first_at_rate_) return false;
  last.epoch = finder_->epoch();
  const std::chrono::microseconds arriving{static_cast<std::int32_t>(mark.arrived_at - before.arrived_at)};
  const TrainPart part{mark.packets - before.packets, mark.arrived - before.arrived,
                       mark.sent_at - before.sent_at, arriving, before.epoch != last.epoch};
  if (!finder_->add(part)) return false;
  rate_ = finder_->rate();
  pacer_.set_rate(rate_, now);
  first_at_rate_ = train_ + 1;
  paused_ = true;
  return true;
}

}  // namespace lbsp::transport
