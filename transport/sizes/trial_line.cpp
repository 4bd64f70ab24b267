#include "transport/sizes/trial_line.hpp"

#include <algorithm>

namespace lbsp::transport {

void TrialLine::join(Rank peer) {
  if (!waits(peer)) waiting_.push_back(peer);
}

std::optional<Rank> TrialLine::take_next(std::ptrdiff_t most) {
  std::erase_if(waiting_, [&](Rank rank) { return !peers_[rank].path.sizes.on_trial(); });
  const bool busy = asked() >= most;
  const auto next =
      std::ranges::find_if(waiting_, [&](Rank rank) { return !busy || !is_open(peers_[rank]); });
  if (next == waiting_.end()) return std::nullopt;
  const Rank rank = *next;
  waiting_.erase(next);
  return rank;
}

/// Whether it is on trial, and nothing has shown what arrives.
bool TrialLine::is_open(const Peer& peer) const {
  return !peer.near && !peer.parting.finished && peer.path.sizes.on_trial() && peer.path.sizes.base_open();
}

bool TrialLine::waits(Rank peer) const {
  return std::ranges::find(waiting_, peer) != waiting_.end();
}

std::ptrdiff_t TrialLine::asked() const {
  return std::ranges::count_if(peers_.others(),
                               [&](Rank rank) { return is_open(peers_[rank]) && !waits(rank); });
}

}  // namespace lbsp::transport
