#include "transport/peers/peer.hpp"

#include <algorithm>
#include <chrono>

#include "transport/peers/known_network.hpp"

namespace lbsp::transport {
namespace {

/// However many more there are, each is told often enough that a few dozen fit in the limit of silence.
constexpr Rank most_unanswered = 8;
/// Of what a rank may send: what is measured of paths that are alike differs by less.
constexpr double clearly_slower = 0.8;

Duration keepalive_interval(Duration peer_timeout) {
  return std::min<Duration>(std::chrono::seconds{1}, peer_timeout / 8);
}

Duration answered_within(Duration peer_timeout) {
  return std::min(3 * keepalive_interval(peer_timeout), peer_timeout / 4);
}

}  // namespace

Peer::Peer(const EndpointConfig& config, Rank other, Instant now)
    : rank(other),
      near(is_near(config, other)),
      path{.sizes = PathSizes(first_datagram_bytes(config.options), config.options.datagram_bytes),
           .in_rounds = config.options.recovery != Recovery::receiver,
           .ecn = EcnPath(config.options.recovery == Recovery::receiver && !is_near(config, other))},
      outbound{.sealing = {config.key, config.rank, other, config.cipher},
               .flight = FlightLimit(room_for_each_peer(config.buffer_datagrams, config.size)),
               .last_small = now},
      echoed{.at = now},
      inbound{.opening = {config.key, other, config.rank, config.cipher},
              .last_heard = now,
              .long_arrival = {.bytes = first_datagram_bytes(config.options)}},
      wait{.progress_at = now, .acknowledged_at = now} {
  const auto place = static_cast<std::size_t>(other);
  if (config.known) take_known(config, now);
  if (place >= config.priors.size()) return;
  path.prior = config.priors[place];
  const BytesPerSecond carried = path.prior.bandwidth;
  if (!near && carried.value > 0 && carried.value < clearly_slower * own_rate(config).value)
    path.rate.tell(carried, config.options.datagram_bytes, now);
  if (path.prior.round_trip > Duration::zero())
    path.times.assume(path.prior.round_trip, path.prior.round_trip_variation);
}

void Peer::take_known(const EndpointConfig& config, Instant now) {
  const auto& known = config.known->paths[static_cast<std::size_t>(rank)];
  if (!known) return;
  path.sizes = PathSizes(std::min(known->datagram_bytes, config.options.datagram_bytes),
                         config.options.datagram_bytes);
  path.rate = known->rate.begun_anew(now);
}

KnownLoss Peer::known_loss() const {
  return path.loss_at_bound.of(path.loss, echoed.packets, echoed.last.arrived);
}

PathForecast Peer::forecast() const {
  const KnownLoss loss = known_loss();
  PathForecast known = with_prior(loss.report, loss.packets, path.prior);
  known.round_trip = path.times.round_trip();
  known.newest_round_trip = path.times.newest();
  known.least_round_trip = path.times.shortest();
  known.round_trip_variation = path.times.variation();
  known.round_trip_known = path.times.known() || path.times.measured();
  return known;
}

/// While nothing seems to arrive, or nothing comes, each is sent soon after the last, so that many fit in what is left
/// of the limit: bursts of loss may take as many datagrams in a row of these as of any.
Instant Peer::keepalive_at(Duration peer_timeout, Rank unanswered) const {
  const Duration interval = keepalive_interval(peer_timeout);
  const Duration soon =
      std::min(interval / 8, peer_timeout / 200) * std::clamp(unanswered, Rank{1}, most_unanswered);
  const Instant silent = echoed.at + answered_within(peer_timeout);
  const Instant unheard = inbound.last_heard + peer_timeout / 4;
  return std::min(outbound.last_small + interval,
                  std::max(outbound.last_small + soon, std::min(silent, unheard)));
}

bool Peer::unanswered(Duration peer_timeout, Instant now) const {
  return !left() && now - echoed.at >= answered_within(peer_timeout);
}

}  // namespace lbsp::transport
