#include "transport/core/farewell.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

}  // namespace

Farewell::Farewell(const std::vector<std::unique_ptr<Peer>>& peers, Duration peer_timeout,
                   std::function<void(Rank, Instant)> say_fin)
    : peers_(peers), peer_timeout_(peer_timeout), say_fin_(std::move(say_fin)) {}

void Farewell::begin(Instant now) {
  stage_ = Stage::draining;
  update(now);
}

void Farewell::update(Instant now) {
  if (stage_ == Stage::draining && drained(now)) begin_lingering(now);
  if (stage_ != Stage::lingering) return;
  const bool all_finished =
      std::all_of(peers_.begin(), peers_.end(), [](const auto& peer) { return !peer || peer->finished; });
  if (all_finished || now >= deadline_) {
    stage_ = Stage::done;
    deadline_ = never;
  }
}

/// If not, the deadline is when the first of those that are missing will be given up.
bool Farewell::drained(Instant now) {
  deadline_ = never;
  for (const auto& peer : peers_) {
    if (!peer || peer->finished || peer->outgoing.empty()) continue;
    const Instant given_up = peer->last_heard + silence_limit();
    if (given_up > now) deadline_ = std::min(deadline_, given_up);
  }
  return deadline_ == never;
}

void Farewell::begin_lingering(Instant now) {
  stage_ = Stage::lingering;
  deadline_ = now + linger();
  const Duration timeout = longest_probe_timeout();
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    if (!peers_[rank]) continue;
    for (const Duration delay : {Duration{0}, timeout / 2, timeout})
      say_fin_(static_cast<Rank>(rank), now + delay);
  }
}

void Farewell::asked(Rank from, Instant now) {
  if (stage_ != Stage::lingering) return;
  say_fin_(from, now);
  deadline_ = now + linger();
}

Duration Farewell::longest_probe_timeout() const {
  Duration longest{0};
  for (const auto& peer : peers_) {
    if (peer) longest = std::max(longest, peer->path.probe_timeout());
  }
  return longest;
}

/// Ten probes, or a second, without an answer: a peer that lives would have answered one.
Duration Farewell::silence_limit() const {
  return std::min(std::max<Duration>(1s, 10 * longest_probe_timeout()), peer_timeout_);
}

/// Long enough for a peer to probe three times.
Duration Farewell::linger() const {
  return std::clamp<Duration>(3 * longest_probe_timeout(), 50ms, 1s);
}

}  // namespace lbsp::transport
