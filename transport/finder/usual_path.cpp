#include "transport/finder/usual_path.hpp"

#include <cmath>

namespace lbsp::transport {
namespace {

/// Queues that grow by less during a train are noise, or do no harm.
constexpr double least_delay = 2e-3;

/// Standard deviations that an epoch of a told rate is given; three epochs are looked at. Delays that vary do so
/// together.
constexpr double doubt_of_loss = 2;
constexpr double doubt_of_time = 3;

}  // namespace

UsualPath::UsualPath(double loss, bool told)
    : loss_(std::clamp(loss, 0.0, highest_loss)),
      proven_loss_(told ? loss_ : std::max(loss_, HeavyLoss::least)) {}

bool UsualPath::queued(const RateEpoch& epoch) const {
  return epoch.delay > std::max(least_delay, 1.25 * delay_);
}

PartSeen UsualPath::carried(const RateEpoch& epoch, double loss) const {
  const double stretch = queued(epoch) ? epoch.stretch : 1;
  const double part = std::min(1.0, (1 - epoch.loss) / (1 - loss)) / stretch;
  const double of_loss = epoch.loss_error / (1 - loss) / stretch;
  return {part, std::hypot(of_loss, queued(epoch) ? part * epoch.stretch_error / stretch : 0)};
}

double UsualPath::carried_at_most(const RateEpoch& epoch) const {
  const double arrived = std::min(1.0, (1 - epoch.loss) / (1 - loss_));
  const double stretch = queued(epoch) ? epoch.stretch - doubt_of_time * epoch.stretch_error : 1;
  return (arrived + doubt_of_loss * epoch.loss_error / (1 - loss_)) / std::max(1.0, stretch);
}

void UsualPath::learn(const RateEpoch& epoch, bool may_be_more) {
  loss_ = std::min(loss_ + (epoch.loss - loss_) / 4, may_be_more ? proven_loss_ : loss_);
  delay_ += (epoch.delay - delay_) / (epoch.delay > delay_ ? 4 : 16);
}

void UsualPath::prove(double loss, bool deep) {
  const double most = deep ? highest_loss : std::max(proven_loss_, HeavyLoss::least);
  proven_loss_ = std::clamp(loss, proven_loss_, most);
  loss_ = std::clamp(loss, loss_, most);
}

}  // namespace lbsp::transport
