#include "transport/sizes/early_questions.hpp"

#include <algorithm>

namespace lbsp::transport {

void EarlyQuestions::leg_begun(Rank peer) {
  std::erase_if(doubts_, [&](const Doubt& doubt) { return doubt.peer == peer || settled(doubt); });
  const Doubt doubt{.peer = peer, .long_ones = peers_[peer].path.narrow.long_ones()};
  if (!settled(doubt)) doubts_.push_back(doubt);
}

std::optional<Rank> EarlyQuestions::due(bool idle) const {
  for (const Doubt& doubt : doubts_) {
    const NarrowPath& narrow = peers_[doubt.peer].path.narrow;
    if (settled(doubt) || narrow.long_bytes() < peers_[doubt.peer].path.sizes.in_use()) continue;
    const std::uint64_t enough = idle ? doubt.long_ones + 1 : NarrowPath::enough_long << doubt.questions;
    if (narrow.long_ones() >= enough) return doubt.peer;
  }
  return std::nullopt;
}

void EarlyQuestions::asked(Rank peer) {
  const auto doubt = std::ranges::find(doubts_, peer, &Doubt::peer);
  ++doubt->questions;
  doubt->long_ones = peers_[peer].path.narrow.long_ones();
  if (doubt->questions == most_questions) doubts_.erase(doubt);
}

bool EarlyQuestions::settled(const Doubt& doubt) const {
  const Peer& peer = peers_[doubt.peer];
  return peer.parting.finished || peer.path.sizes.base_known();
}

}  // namespace lbsp::transport
