#include "tools/launch/job_progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transport/counted.hpp"

namespace lbsp::launch {
namespace {

/// Until all ranks that wait can have said so: each looks twice a second, and tells what it has seen twice.
constexpr std::chrono::milliseconds settled{1000};
constexpr std::size_t most_named = 3;

}  // namespace

void JobProgress::take(Rank rank, const job::Progress& progress, Instant now) {
  if (static_cast<std::size_t>(rank) >= ranks_.size()) return;
  known_ = true;
  superstep_ = std::max(superstep_, progress.supersteps);
  newest_ = std::max(newest_, place_of(progress));
  ranks_[static_cast<std::size_t>(rank)] = Word{progress, now};
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
  std::vector<Rank> ranks;
  if (std::ranges::none_of(ranks_, long_enough)) return ranks;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto& word = ranks_[rank];
    if (!waits(word) && !(word && word->ended)) ranks.push_back(static_cast<Rank>(rank));
  }
  return ranks;
}

std::string name_ranks(const std::vector<Rank>& ranks) {
  const std::size_t named = std::min(ranks.size(), most_named);
  std::string text =
      fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s",
                  fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (ranks.size() > named) text += " and " + counted(ranks.size() - named, "other");
  return text;
}

}  // namespace lbsp::launch
