#include "transport/rate/met_queues.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {

void MetQueues::begin_round() {
  varied_ = Duration{0};
  for (Path& path : paths_) {
    path.least = Duration::max();
    path.mistaken = Duration{0};
  }
}

void MetQueues::meet(std::uint32_t path, const ArrivalGauge::Seen& seen, const Link& link) {
  Path& met = paths_[path % paths_.size()];
  if (met.path != path) {
    if (met.longest > seen.queue) return;
    met = {.path = path};
  }
  met.longest = std::max(met.longest, seen.queue);
  met.least = std::min(met.least, seen.queue);
  met.mistaken += seen.mistaken;
  note_varied(met.newest, seen.queue, link);
  longest_ = std::max(longest_, met.longest);
  if (2 * met.longest >= longest_) note_varied(newest_, seen.queue, link);
}

/// A queue grows by no more than it has taken the link to carry what has come in between.
void MetQueues::note_varied(Newest& newest, Duration queue, const Link& link) {
  const Newest before = std::exchange(newest, {.queue = queue, .bytes_by_then = link.bytes_so_far});
  if (before.queue == Duration::max() || link.carried <= 0) return;
  const Duration filled = BytesPerSecond{link.carried}.time_for(link.bytes_so_far - before.bytes_by_then);
  varied_ = std::max(varied_, queue - before.queue - filled);
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
