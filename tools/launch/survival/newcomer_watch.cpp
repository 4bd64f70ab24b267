#include "tools/launch/survival/newcomer_watch.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::launch::survival {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds soon{1000};
/// Longer than a process takes to begin on a busy host.
constexpr milliseconds shortest_patience{2000};
constexpr milliseconds longest_patience{5000};

}  // namespace

NewcomerWatch::NewcomerWatch(uv::Loop& loop, transport::Duration peer_timeout, Calls calls)
    : loop_(loop),
      patience_(
          std::clamp(std::chrono::ceil<milliseconds>(peer_timeout), shortest_patience, longest_patience)),
      calls_(std::move(calls)) {}

void NewcomerWatch::begin(Rank rank, bool may_be_cut_off) {
  Wait& wait = *(waits_[rank] = std::make_unique<Wait>(loop_));
  wait.until_late.start(soon, [this, rank] { calls_.is_late(rank); });
  if (may_be_cut_off) wait.until_in_vain.start(patience_, [this, rank] { calls_.in_vain(rank); });
}

void NewcomerWatch::greeted(Rank rank) {
  if (const auto wait = waits_.find(rank); wait != waits_.end()) wait->second->until_in_vain.stop();
}

}  // namespace lbsp::launch::survival
