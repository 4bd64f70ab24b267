#include "transport/core/peer.hpp"

#include <algorithm>
#include <chrono>

namespace lbsp::transport {

Peer::Peer(const EndpointConfig& config, Rank other, Instant now)
    : rank(other),
      near(is_near(config, other)),
      path{.sizes = PathSizes(first_datagram_bytes(config.options), config.options.datagram_bytes),
           .extras = {.round = config.options.recovery != Recovery::receiver}},
      outbound{.sealing = {config.key, config.rank, other, config.cipher},
               .flight = FlightLimit(room_for_each_peer(config.buffer_datagrams, config.size)),
               .last_small = now},
      echoed{.at = now},
      inbound{.opening = {config.key, other, config.rank, config.cipher}, .last_heard = now},
      wait{.progress_at = now, .acknowledged_at = now} {
  const auto place = static_cast<std::size_t>(other);
  if (place >= config.priors.size()) return;
  path.prior = config.priors[place];
  if (path.prior.round_trip > Duration::zero())
    path.times.assume(path.prior.round_trip, path.prior.round_trip_variation);
}

PathForecast Peer::forecast() const {
  PathForecast known = with_prior(path.loss, echoed.packets, path.prior);
  known.round_trip = path.times.round_trip();
  known.round_trip_variation = path.times.variation();
  known.round_trip_known = path.times.known() || path.times.measured();
  return known;
}

Instant Peer::keepalive_at(Duration peer_timeout) const {
  const Duration interval = std::min<Duration>(std::chrono::seconds{1}, peer_timeout / 8);
  const Instant doubtful = echoed.at + 3 * interval;
  return std::min(outbound.last_small + interval, std::max(outbound.last_small + interval / 8, doubtful));
}

}  // namespace lbsp::transport
