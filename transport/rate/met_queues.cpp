#include "transport/rate/met_queues.hpp"

#include <algorithm>

namespace lbsp::transport {

void MetQueues::begin_round() {
  for (Path& path : paths_) {
    path.least = Duration::max();
    path.mistaken = Duration{0};
  }
}

void MetQueues::meet(std::uint32_t path, const ArrivalGauge::Seen& seen) {
  Path& met = paths_[path % paths_.size()];
  if (met.path != path) {
    if (met.longest > seen.queue) return;
    met = {.path = path};
  }
  met.longest = std::max(met.longest, seen.queue);
  met.least = std::min(met.least, seen.queue);
  met.mistaken += seen.mistaken;
}

Duration MetQueues::least() const {
  Duration longest{0};
  for (const Path& met : paths_)
    if (met.least < Duration::max()) longest = std::max(longest, met.longest);
  Duration least = Duration::max();
  for (const Path& met : paths_)
    if (2 * met.longest >= longest) least = std::min(least, met.least);
  return least;
}

Duration MetQueues::mistaken() const {
  return std::ranges::max_element(paths_, {}, &Path::mistaken)->mistaken;
}

}  // namespace lbsp::transport
