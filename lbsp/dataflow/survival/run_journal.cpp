#include "lbsp/dataflow/survival/run_journal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <utility>

namespace lbsp::dataflow::survival {
namespace {

bool has_run(const Holdings& holdings, TokenId token) {
  return (holdings.tokens[token] & Holdings::done) != 0;
}

}  // namespace

RunJournal::RunJournal(RunState& state, const Structure& structure, Rank ranks, OnEnd on_end)
    : state_(state), structure_(structure), ranks_(ranks), on_end_(std::move(on_end)) {
  state_.told.tokens.resize(structure.tokens());
  state_.in_ends.resize(structure.tokens());
}

std::size_t RunJournal::level_of(TokenId token) const {
  return static_cast<std::size_t>(structure_.token(token).level);
}

bool RunJournal::runs_again(TokenId token) const {
  return std::ranges::binary_search(again_, token);
}

void RunJournal::take_over(const Holdings& together, std::vector<TokenId> again) {
  again_ = std::move(again);
  note_untold(together);
  note_change(together);
  for (TokenId token = 0; token < together.tokens.size(); ++token) {
    if (!has_run(together, token)) continue;
    std::uint8_t& flags = state_.told.tokens[token];
    flags = static_cast<std::uint8_t>(flags | (together.tokens[token] & ~Holdings::here));
  }
}

/// A new process knows nothing of when that was.
void RunJournal::note_untold(const Holdings& together) {
  const bool is_new = std::ranges::all_of(state_.told.tokens, [](std::uint8_t flags) { return flags == 0; });
  std::map<std::size_t, std::size_t> by_level;
  for (TokenId token = 0; token < together.tokens.size(); ++token) {
    if (!has_run(together, token) || state_.in_ends[token]) continue;
    note_ended(token);
    ++by_level[level_of(token)];
  }
  for (const auto& [level, tokens] : by_level)
    if (!is_new) note_end(level, tokens, 0);
}

void RunJournal::note_change(const Holdings& together) {
  state_.told.changes = together.changes;
  state_.told.runs_again = together.runs_again;
  RunChange& last = state_.told.changes.back();
  last.ranks = ranks_;
  last.to_redo = again_.size();
  for (TokenId token = 0; token < together.tokens.size(); ++token)
    if (has_run(together, token)) last.level = std::max(last.level, level_of(token) + 1);
}

void RunJournal::note_computed(TokenId token) {
  state_.told.tokens[token] |= Holdings::done | Holdings::here;
}

void RunJournal::note_end_of(const LevelRecord& level, Rank self, std::vector<Ticks> times) {
  for (const Placement& each : level.placements) {
    std::uint8_t& flags = state_.told.tokens[each.token];
    if (runs_again(each.token)) flags |= Holdings::again;
    if (each.worker != self) flags &= static_cast<std::uint8_t>(~Holdings::here);
    flags |= Holdings::done;
    note_ended(each.token);
  }
  state_.told.runs_again += level.again;
  state_.told.times = std::move(times);
  note_end(level.level, level.placements.size(), level.again);
}

void RunJournal::note_ended(TokenId token) {
  if (state_.in_ends[token]) return;
  state_.in_ends[token] = true;
  ++state_.ended;
}

void RunJournal::note_end(std::size_t level, std::size_t tokens, std::size_t again) {
  state_.ends.push_back({level, tokens, again, ranks_, std::chrono::steady_clock::now() - state_.began});
  if (on_end_) on_end_(state_.ends.back());
}

void RunJournal::tell(RunRecord& record) const {
  record.changes = state_.told.changes;
  record.runs_again = state_.told.runs_again;
  record.ends = state_.ends;
  if (record.runs_again == 0) return;
  for (const std::uint8_t flags : state_.told.tokens)
    record.again.push_back((flags & Holdings::again) != 0);
}

}  // namespace lbsp::dataflow::survival
