#include "tools/launch/hosts/host_watch.hpp"

#include <algorithm>
#include <limits>

namespace lbsp::launch::hosts {
namespace {

/// Of a limit that is told to be for ever too.
constexpr transport::Duration longest_limit = std::chrono::hours{24 * 365};

/// Ranks that are stopped for less may be stopped by intent: by a debugger's script, or a machine that is being moved.
constexpr transport::Duration shortest_last_stop = std::chrono::minutes{1};

}  // namespace

HostWatch::HostWatch(std::size_t hosts, transport::Duration peer_timeout)
    : silent_ticks_(hosts),
      most_ticks_(static_cast<int>(
          (2 * std::min(peer_timeout, longest_limit) + alive_interval + tick_interval) / tick_interval)) {}

void HostWatch::tick(Ranks ranks) {
  if (ranks != ranks_) stopped_ticks_ = 0;
  if (ranks != Ranks::run) ++stopped_ticks_;
  ranks_ = ranks;
  for (int& ticks : silent_ticks_) {
    if (ticks < std::numeric_limits<int>::max()) ++ticks;
  }
}

int HostWatch::most_stopped_ticks() const {
  if (ranks_ == Ranks::left_stopped) return most_ticks_;
  return std::max(most_ticks_, static_cast<int>(shortest_last_stop / tick_interval));
}

}  // namespace lbsp::launch::hosts
