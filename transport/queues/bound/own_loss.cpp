#include "transport/queues/bound/own_loss.hpp"

#include <algorithm>
#include <utility>

#include "transport/queues/bound/mean_loss.hpp"

namespace lbsp::transport {
namespace {

/// No more than this counts as the path's own, unless it is usual. Who comes to a full queue has never seen it empty:
/// no datagram seems to meet one, and most are dropped.
constexpr double most_own_loss = 0.3;
constexpr double much_beyond_all = 0.05;
/// So much more at a higher rate is noise, and so is this part of the rate.
constexpr double noise_of_mean = 0.01;
constexpr double noise_of_rate = 0.05;
/// More than this tells that the link is full.
constexpr double least_rise = 0.03;
/// Until so many have been counted, nothing is known of any rate.
constexpr double datagrams_to_begin = 2 * memory_of_loss;

}  // namespace

void OwnLoss::begin(double usual) {
  if (!std::exchange(known_, true)) own_ = at_rate_ = all_ = without_queue_ = usual_ = usual;
}

void OwnLoss::note(const QueueSeen& seen, Queue queue) {
  add_to_mean(all_, seen.loss, seen.datagrams);
  if (queue == Queue::stands) {
    without_queue_ = at_rate_;
  } else {
    add_to_mean(without_queue_, seen.loss, seen.datagrams);
    if (counted_ < datagrams_to_begin || without_queue_ <= at_rate_ + noise_of_mean)
      rate_ = std::max(rate_, seen.rate);
    counted_ += seen.datagrams;
  }
  if (queue == Queue::none && seen.rate <= (1 + noise_of_rate) * rate_) {
    const double loss = std::min(seen.loss, std::max(usual_, most_own_loss));
    add_to_mean(own_, loss, seen.datagrams);
    add_to_mean(at_rate_, seen.loss, seen.datagrams);
  }
  // A queue that was not seen has added to it.
  if (own_ > 2 * all_ + much_beyond_all) own_ = all_;
  at_rate_ = std::min(at_rate_, all_ + chance_of_mean(all_));
}

std::optional<double> OwnLoss::risen_with_rate() const {
  if (!clearly_more_loss(without_queue_, at_rate_, least_rise)) return std::nullopt;
  return (without_queue_ - at_rate_) / (1 - at_rate_);
}

void OwnLoss::fell_to(double rate) {
  rate_ = rate;
  without_queue_ = at_rate_;
}

}  // namespace lbsp::transport
