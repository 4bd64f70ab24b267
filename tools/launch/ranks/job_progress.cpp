#include "tools/launch/ranks/job_progress.hpp"

#include <algorithm>
#include <set>

namespace lbsp::launch::ranks {
namespace {

/// Until all ranks that wait can have said so: each looks twice a second, and tells what it has seen twice.
constexpr std::chrono::milliseconds settled{1000};

}  // namespace

void JobProgress::take(Rank rank, const job::Progress& progress, Instant now) {
  if (static_cast<std::size_t>(rank) >= ranks_.size()) return;
  known_ = true;
  superstep_ = std::max(superstep_, progress.supersteps);
  newest_ = std::max(newest_, place_of(progress));
  auto& word = ranks_[static_cast<std::size_t>(rank)];
  // Who waits for fewer now waits still.
  const bool stays = word && !word->ended && word->progress.waiting && progress.waiting &&
                     place_of(word->progress) == place_of(progress);
  word = Word{progress, stays ? word->since : now};
}

void JobProgress::ended(Rank rank) {
  if (static_cast<std::size_t>(rank) >= ranks_.size()) return;
  ranks_[static_cast<std::size_t>(rank)] = Word{{}, {}, true};
}

/// What a lost rank's slot is said of is that of a new process, as soon as that says anything.
void JobProgress::go_on_with(const std::vector<Rank>& members) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (std::ranges::find(members, static_cast<Rank>(rank)) == members.end()) ended(static_cast<Rank>(rank));
}

JobProgress::Place JobProgress::place_of(const job::Progress& progress) {
  return {progress.epoch, progress.supersteps - std::min(progress.supersteps, progress.before_world)};
}

bool JobProgress::waits(const std::optional<Word>& word) const {
  return word && !word->ended && word->progress.waiting && place_of(word->progress) == newest_;
}

std::vector<Rank> JobProgress::waited_for(Instant now) const {
  const auto long_enough = [&](const std::optional<Word>& word) {
    return waits(word) && now - word->since >= settled;
  };
  std::vector<Rank> ranks = named_by_waiters(now);
  if (!ranks.empty() || std::ranges::none_of(ranks_, long_enough)) return ranks;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto& word = ranks_[rank];
    if (!waits(word) && !(word && word->ended)) ranks.push_back(static_cast<Rank>(rank));
  }
  return ranks;
}

std::vector<Rank> JobProgress::named_by_waiters(Instant now) const {
  std::vector<std::vector<Rank>> awaited(ranks_.size());
  std::vector<bool> held_up(ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto& word = ranks_[rank];
    if (word && word->ended) held_up[rank] = true;  // nobody waits for it, whoever has not yet heard so
    if (!word || word->ended || !word->progress.waiting) continue;
    held_up[rank] = place_of(word->progress) < newest_ && !word->progress.awaited.empty();
    if (now - word->since >= settled) awaited[rank] = word->progress.awaited;
  }
  return held_up_by(awaited, held_up);
}

std::vector<Rank> held_up_by(const std::vector<std::vector<Rank>>& awaited,
                             const std::vector<bool>& held_up) {
  std::set<Rank> named;
  for (const auto& of_one : awaited) {
    for (const Rank rank : of_one) {
      const auto place = static_cast<std::size_t>(rank);
      const bool is_rank = rank >= 0 && place < awaited.size();
      if (is_rank && !held_up[place]) named.insert(rank);
    }
  }
  return {named.begin(), named.end()};
}

}  // namespace lbsp::launch::ranks
