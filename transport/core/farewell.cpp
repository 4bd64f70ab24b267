#include "transport/core/farewell.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// That a peer hears none of the FINs which it is told before this rank leaves unconfirmed: it then waits for
/// its patience in vain.
constexpr double acceptable_miss = 1e-4;
constexpr int fewest_farewells = 2;
constexpr int most_farewells = 8;
constexpr Duration longest_interval = 1s;

int enough_farewells(const Peer& other) {
  const double loss = std::clamp(other.reported_loss.loss / 65535.0, 1e-9, 0.9);
  const int copies = static_cast<int>(std::ceil(std::log(acceptable_miss) / std::log(loss)));
  return std::clamp(copies, fewest_farewells, most_farewells);
}

Duration spacing(const Peer& other) {
  return std::max<Duration>(other.path.round_trip() / 4, 1ms);
}

/// The first ones come fast, so that the answer of a peer that waits already is the last thing waited for.
Duration until_next(const Peer& other) {
  const int extra = other.parting.said - enough_farewells(other);
  if (extra < 0) return spacing(other);
  Duration interval = other.path.probe_timeout();
  for (int i = 0; i < extra && interval < longest_interval; ++i)
    interval += interval / 2;
  return std::min(interval, std::max(longest_interval, other.path.probe_timeout()));
}

}  // namespace

Farewell::Farewell(Peers& peers, Alarm& alarm, Duration peer_timeout, std::function<void(Rank)> say_fin)
    : peers_(peers), alarm_(alarm), peer_timeout_(peer_timeout), say_fin_(std::move(say_fin)) {}

void Farewell::begin(Instant now) {
  begun_ = true;
  open_ = peers_.size() - 1;
  for (Rank rank = 0; rank < peers_.size(); ++rank) {
    if (rank != peers_.self()) update(rank, now);
  }
}

void Farewell::update(Rank rank, Instant now) {
  Peer& other = peers_[rank];
  Parting& parting = other.parting;
  if (!begun_ || parting.over || !drained(rank, now)) return;
  if (parting.say_at <= now) say(rank, now);
  if (other.finished) {
    if (parting.confirmed || parting.said >= enough_farewells(other)) return end(rank);
    alarm_.set(rank, Timer::farewell, parting.say_at);
    return;
  }
  const Instant given_up = std::max(other.last_heard, parting.drained_at) + patience(other);
  if (given_up <= now) return end(rank);
  alarm_.set(rank, Timer::farewell, std::min(parting.say_at, given_up));
}

bool Farewell::drained(Rank rank, Instant now) {
  Peer& other = peers_[rank];
  Parting& parting = other.parting;
  if (!other.outgoing.empty()) {
    const Instant given_up = other.last_heard + peer_timeout_;
    alarm_.set(rank, Timer::farewell, given_up);
    if (given_up <= now) end(rank);
    return false;
  }
  if (parting.drained_at == never) parting.drained_at = parting.say_at = now;
  return true;
}

void Farewell::heard(Rank from, bool confirmed, Instant now) {
  Peer& other = peers_[from];
  const bool first = !other.finished;
  other.finished = true;
  other.parting.confirmed = other.parting.confirmed || confirmed;
  if (first || !confirmed) say(from, now);
  update(from, now);
}

void Farewell::asked(Rank from, Instant now) {
  const Parting& parting = peers_[from].parting;
  if (parting.said > 0 && now >= parting.said_at + spacing(peers_[from])) say(from, now);
}

void Farewell::say(Rank rank, Instant now) {
  Peer& other = peers_[rank];
  Parting& parting = other.parting;
  ++parting.said;
  parting.said_at = now;
  parting.say_at = now + until_next(other);
  say_fin_(rank);
}

void Farewell::end(Rank rank) {
  peers_[rank].parting.over = true;
  alarm_.clear(rank, Timer::farewell);
  --open_;
}

/// Long enough for a peer that lives, and lacks only this rank's FIN or its last acknowledgement, to ask
/// several times, and for a short outage.
Duration Farewell::patience(const Peer& other) const {
  return std::min(std::max<Duration>(3s, 10 * other.path.probe_timeout()), peer_timeout_);
}

}  // namespace lbsp::transport
