#include "transport/ending/farewell.hpp"

#include <algorithm>
#include <cmath>

#include "transport/paths/loss_estimate.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// That a peer hears none of the FINs which it is told before this rank leaves unconfirmed: it then waits for
/// its patience in vain.
constexpr double acceptable_miss = 1e-5;
constexpr int fewest_farewells = 2;
constexpr int most_farewells = 32;
constexpr Duration longest_between_farewells = 1s;

/// Two standard errors above what a path seems to lose: a short job has not shown much of it.
double pessimistic(double loss, double sample) {
  return std::clamp(loss + 2 * std::sqrt(loss * (1 - loss) / std::max(sample, 1.0)), 1e-9, 0.9);
}

/// Losses come in bursts, so the first FIN is lost with the path's loss, and each other one with the loss
/// that follows a loss.
int enough_farewells(const Peer& other) {
  // All that was lost counts, though it may be in doubt (LossDoubt).
  const PathForecast path = with_prior(other.path.loss, other.echoed.packets, other.path.prior);
  // What a short job expected before it began is no excuse: it has seen more lost.
  const double loss = std::max(path.loss, from_fraction(other.path.loss.loss));
  const double first = pessimistic(loss, path.loss_sample + other.path.prior.loss_sample);
  const double next = std::clamp(path.loss_after_loss, first, 0.9);
  const int copies = 1 + static_cast<int>(std::ceil(std::log(acceptable_miss / first) / std::log(next)));
  return std::clamp(copies, fewest_farewells, most_farewells);
}

/// All that are needed go out in a quarter of a round trip: the answer of a peer that waits already is then
/// the last thing waited for.
Duration spacing(const Peer& other, int enough) {
  return std::max<Duration>(other.path.times.round_trip() / (4 * (enough - 1)), 1ms);
}

Duration until_next(const Peer& other) {
  const int enough = enough_farewells(other);
  const int extra = other.parting.said - enough;
  if (extra < 0) return spacing(other, enough);
  Duration interval = other.path.times.probe_timeout();
  for (int i = 0; i < extra && interval < longest_between_farewells; ++i)
    interval += interval / 2;
  return std::min(interval, std::max(longest_between_farewells, other.path.times.probe_timeout()));
}

Instant say_next(const Peer& other) {
  return other.parting.said == 0 ? Instant{} : other.parting.said_at + until_next(other);
}

/// Long enough for a peer that lives, and lacks only this rank's FIN or its last acknowledgement, to ask or to answer
/// several times. Not longer: the peer has most likely left, and all of its FINs were lost.
Duration patience(const Peer& other) {
  return std::max<Duration>(1s, 5 * other.path.times.probe_timeout());
}

}  // namespace

Farewell::Farewell(Peers& peers, Alarm& alarm, Duration peer_timeout, std::function<void(Rank)> say_fin)
    : peers_(peers), alarm_(alarm), peer_timeout_(peer_timeout), say_fin_(std::move(say_fin)) {}

void Farewell::begin(Instant now) {
  if (!begun_) begin_all(now);
}

void Farewell::begin_in_last_leg(Instant now) {
  in_last_leg_ = true;
  begin_all(now);
}

void Farewell::begin_all(Instant now) {
  begun_ = true;
  open_ = peers_.size() - 1;
  for (Rank rank = 0; rank < peers_.size(); ++rank) {
    if (rank != peers_.self()) update(rank, now);
  }
}

void Farewell::go_on(Rank rank, Instant now) {
  Peer& other = peers_[rank];
  const Parting& parting = other.parting;
  if (parting.over || other.wait.awaited) return;
  if (may_say(other) && say_next(other) <= now) say(rank, now);
  const bool told = parting.confirmed || parting.said >= enough_farewells(other);
  const Instant given_up = other.parting.finished ? never : given_up_at(other, now);
  if ((other.parting.finished && told) || given_up <= now) return end(rank);
  alarm_.set(rank, Timer::farewell, may_say(other) ? std::min(say_next(other), given_up) : given_up);
}

/// A peer that has said FIN needs nothing more, whatever was sent to it since.
bool Farewell::may_say(const Peer& other) const {
  return in_last_leg_ || other.parting.finished || other.outbound.messages.empty();
}

/// When a peer that has not said FIN is taken to have left.
Instant Farewell::given_up_at(Peer& other, Instant now) const {
  if (!other.outbound.messages.empty()) return other.inbound.last_heard + peer_timeout_;
  if (other.parting.drained_at == never) other.parting.drained_at = now;
  return std::max(other.inbound.last_heard, other.parting.drained_at) +
         std::min(patience(other), peer_timeout_);
}

/// Outside the last leg, who says FIN has no message for this rank that has not arrived, whatever this rank
/// awaits.
void Farewell::heard(Rank from, bool confirmed, Instant now) {
  Peer& other = peers_[from];
  other.parting.finished = true;
  other.parting.confirmed = other.parting.confirmed || confirmed;
  const bool lacks = in_last_leg_ && other.wait.awaited;
  if (!confirmed && !lacks) say_again(from, now);
  update(from, now);
}

/// Unless it has just been said.
void Farewell::say_again(Rank rank, Instant now) {
  const Peer& other = peers_[rank];
  if (other.parting.said == 0 || now >= other.parting.said_at + other.path.times.round_trip() / 4)
    say(rank, now);
}

void Farewell::say(Rank rank, Instant now) {
  Parting& parting = peers_[rank].parting;
  ++parting.said;
  parting.said_at = now;
  say_fin_(rank);
}

void Farewell::end(Rank rank) {
  peers_[rank].parting.over = true;
  alarm_.clear(rank, Timer::farewell);
  --open_;
}

}  // namespace lbsp::transport
