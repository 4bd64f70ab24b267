#include "transport/rate/downlink_drain.hpp"

#include <chrono>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Less than the time for which the least delay is remembered (QueueGauge).
constexpr Duration between_link_drains = 8s;
constexpr Duration longest_link_drain = 2s;
/// What is granted shows in what arrives after so many round trips.
constexpr int round_trips_to_heed_grant = 2;
/// The queue is empty when delays become shorter, in half a round trip, by no more than this part of what the lower
/// rate makes them.
constexpr double hardly_emptied = 0.25;

}  // namespace

bool DownlinkDrain::judge(const Round& round, Instant now) {
  ended_ = false;
  if (!since_ && now - emptied_at_ > between_link_drains) since_ = now;
  if (!since_) return false;
  const Duration drained = now - *since_;
  if (drained <= round_trips_to_heed_grant * round.round_trip + round.all_heard) return true;
  const double emptied = round.drained * seconds(round.round_trip) / 2;
  if (round.mistaken > hardly_emptied * emptied && drained < longest_link_drain) return true;
  begin_anew(now);
  ended_ = true;
  return false;
}

}  // namespace lbsp::transport
