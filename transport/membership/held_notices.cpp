#include "transport/membership/held_notices.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {

std::vector<LossNotice> HeldNotices::take(Epoch epoch) {
  std::vector<LossNotice> now;
  for (const LossNotice& notice : std::exchange(held_, {})) {
    const auto seated = seated_.find(notice.slot);
    const Epoch since = seated == seated_.end() ? first_ : seated->second;
    if (notice.epoch > epoch) {
      held_.push_back(notice);
    } else if (notice.epoch >= since) {
      now.push_back(notice);
    }
  }
  return now;
}

}  // namespace lbsp::transport
