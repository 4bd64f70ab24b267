#include "transport/core/rate_finder.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Timers and schedulers move single arrivals by a millisecond; over this time, summed over the peers, that
/// is a few per cent.
constexpr Duration least_time = 20ms;
/// Queues that grow by less during a train are noise, or do no harm.
constexpr double least_delay = 2e-3;

/// Of the rate: what must come through. What is missed is noise of loss, about 2 % of an epoch, and of
/// timers.
constexpr double enough = 0.93;
/// So little that twice in a row is no noise.
constexpr double far_too_little = 0.6;
/// A queue that has filled empties again if a little less is sent than is carried.
constexpr double margin = 0.97;

constexpr double step_up = 1.25;
constexpr double deepest_fall = 0.1;  ///< at once
constexpr BytesPerSecond lowest_rate{8000};
constexpr double highest_usual_loss = 0.9;

constexpr std::size_t first_wait = 8;
constexpr std::size_t longest_wait = 128;

double seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

double median(std::array<double, 3> values) {
  std::sort(values.begin(), values.end());
  return values[1];
}

}  // namespace

RateFinder::RateFinder(BytesPerSecond first, BytesPerSecond most, double usual_loss)
    : rate_(std::min(first, most)),
      most_(most),
      usual_loss_(std::clamp(usual_loss, 0.0, highest_usual_loss)) {}

bool RateFinder::add(const TrainPart& part) {
  sum_.sent += part.sent;
  sum_.arrived += part.arrived;
  sum_.sending += part.sending;
  sum_.arriving += part.arriving;
  trains_ += part.opens ? 1 : 0;
  if (sum_.sent < packets_per_epoch || sum_.sending < least_time) return false;
  const BytesPerSecond before = rate_;
  judge(close_epoch());
  return rate_ != before;
}

RateFinder::Epoch RateFinder::close_epoch() {
  const TrainPart sum = std::exchange(sum_, {});
  const double trains = std::exchange(trains_, 0U);
  ++epoch_;
  return {
      .loss = 1 - std::min(1.0, static_cast<double>(sum.arrived) / static_cast<double>(sum.sent)),
      .stretch = std::max(1.0, seconds(sum.arriving) / seconds(sum.sending)),
      .delay = std::max(0.0, seconds(sum.arriving - sum.sending)) / std::max(trains, 1.0),
  };
}

double RateFinder::carried(const Epoch& epoch) const {
  const bool queued = epoch.delay > std::max(least_delay, 1.25 * usual_delay_);
  return std::min(1.0, (1 - epoch.loss) / (1 - usual_loss_)) / (queued ? epoch.stretch : 1);
}

void RateFinder::judge(const Epoch& epoch) {
  if (was_mistaken(epoch)) return;
  const double part = carried(epoch);
  if (higher_ && part < enough) {
    wait_ = std::min(std::max(2 * wait_, first_wait), longest_wait);
    set_rate(higher_->before);
    return;
  }
  if (higher_) wait_ = 0;
  higher_.reset();
  const double previous = epochs_ > 0 ? recent_[(epochs_ - 1) % recent_.size()] : 1;
  recent_[epochs_++ % recent_.size()] = part;
  if (std::max(part, previous) < far_too_little) {
    fall(epoch, part);
  } else if (epochs_ >= recent_.size() && median(recent_) < enough) {
    fall(epoch, median(recent_));
  } else if (part >= enough) {
    usual_loss_ += (epoch.loss - usual_loss_) / 4;
    usual_delay_ += (epoch.delay - usual_delay_) / (epoch.delay > usual_delay_ ? 4 : 16);
    if (++quiet_ > wait_) rise();
  }
}

/// Whether the last fall was for nothing, because less comes through than before: then it is undone.
bool RateFinder::was_mistaken(const Epoch& epoch) {
  if (!lower_) return false;
  const Trial trial = *lower_;
  lower_.reset();
  const auto through = [](BytesPerSecond rate, const Epoch& at) {
    return rate.value * (1 - at.loss) / at.stretch;
  };
  const double kept = through(rate_, epoch) / through(trial.before, trial.seen);
  const double fallen = rate_.value / trial.before.value;
  if (kept > (1 + fallen) / 2) return false;
  usual_loss_ = std::clamp(trial.seen.loss, usual_loss_, highest_usual_loss);
  usual_delay_ = std::max(usual_delay_, trial.seen.delay);
  set_rate(trial.before);
  return true;
}

void RateFinder::fall(const Epoch& epoch, double carried) {
  const Trial trial{rate_, epoch};
  wait_ = first_wait;
  set_rate({std::max(rate_.value * std::max(margin * carried, deepest_fall), lowest_rate.value)});
  lower_ = trial;
}

void RateFinder::rise() {
  if (rate_ >= most_) return;
  const Trial trial{rate_, {}};
  set_rate(std::min(most_, {rate_.value * step_up}));
  higher_ = trial;
}

void RateFinder::set_rate(BytesPerSecond rate) {
  rate_ = rate;
  recent_ = {};
  epochs_ = 0;
  quiet_ = 0;
  lower_.reset();
  higher_.reset();
}

}  // namespace lbsp::transport
