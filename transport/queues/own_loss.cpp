#include "transport/queues/own_loss.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// Datagrams that count as much as all before.
constexpr double memory_of_loss = 250;
constexpr double much_beyond_all = 0.05;
/// No more than this counts as the path's own, unless it is usual. Who comes to a full queue has never seen it empty:
/// no datagram seems to meet one, and most are dropped.
constexpr double most_own_loss = 0.3;

}  // namespace

void OwnLoss::begin(double usual) {
  if (!std::exchange(known_, true)) own_ = all_ = usual_ = usual;
}

void OwnLoss::note(const QueueSeen& seen, bool no_queue) {
  const double weight = seen.datagrams / (seen.datagrams + memory_of_loss);
  if (no_queue) own_ += (std::min(seen.loss, std::max(usual_, most_own_loss)) - own_) * weight;
  all_ += (seen.loss - all_) * weight;
  // A queue that was not seen has added to it.
  if (own_ > 2 * all_ + much_beyond_all) own_ = all_;
}

}  // namespace lbsp::transport
