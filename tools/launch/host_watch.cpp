#include "tools/launch/host_watch.hpp"

#include <algorithm>
#include <limits>

namespace lbsp::launch {
namespace {

/// Of a limit that is told to be for ever too.
constexpr transport::Duration longest_limit = std::chrono::hours{24 * 365};

}  // namespace

HostWatch::HostWatch(std::size_t hosts, transport::Duration peer_timeout)
    : silent_ticks_(hosts),
      most_ticks_(static_cast<int>(
          (2 * std::min(peer_timeout, longest_limit) + alive_interval + tick_interval) / tick_interval)) {}

void HostWatch::tick() {
  for (int& ticks : silent_ticks_) {
    if (ticks < std::numeric_limits<int>::max()) ++ticks;
  }
}

}  // namespace lbsp::launch
