#include "transport/core/peer.hpp"

#include <chrono>

namespace lbsp::transport {

Peer::Peer(const EndpointConfig& config, Rank other, Instant now)
    : rank(other),
      sealing(config.key, config.rank, other, config.cipher),
      opening(config.key, other, config.rank, config.cipher),
      datagram_bytes(config.options.datagram_bytes),
      echoed_at(now),
      flight(room_for_each_peer(config.buffer_datagrams, config.size)),
      last_heard(now),
      last_small_sent(now),
      progress_at(now),
      acknowledged_at(now) {
  const auto place = static_cast<std::size_t>(other);
  if (place >= config.priors.size()) return;
  prior = config.priors[place];
  if (prior.round_trip > Duration::zero()) path.assume(prior.round_trip, prior.round_trip_variation);
}

void Peer::limit_datagrams(std::size_t bytes) {
  datagram_bytes = std::clamp(bytes, min_datagram_bytes, datagram_bytes);
}

PathForecast Peer::forecast() const {
  PathForecast known = with_prior(reported_loss, echoed_packets, prior);
  known.round_trip = path.round_trip();
  known.round_trip_variation = path.variation();
  known.round_trip_known = path.known() || path.measured();
  return known;
}

Echo Peer::echo(Instant now) const {
  if (arrived.next() == 0) return {};
  const auto microseconds = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  const auto held = std::clamp<std::int64_t>(microseconds(now - newest_arrival), 0, UINT32_MAX);
  return {.packets = arrived.next(),
          .hold_microseconds = static_cast<std::uint32_t>(held),
          .arrival_microseconds = static_cast<std::uint32_t>(microseconds(newest_arrival.time_since_epoch())),
          .arrived = static_cast<std::uint32_t>(arrived.distinct()),
          .loss = arrival_loss.report()};
}

Instant Peer::keepalive_at(Duration peer_timeout) const {
  const Duration interval = std::min<Duration>(std::chrono::seconds{1}, peer_timeout / 8);
  const Instant doubtful = echoed_at + 3 * interval;
  return std::min(last_small_sent + interval, std::max(last_small_sent + interval / 8, doubtful));
}

}  // namespace lbsp::transport
