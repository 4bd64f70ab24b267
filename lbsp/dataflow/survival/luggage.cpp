#include "lbsp/dataflow/survival/luggage.hpp"

#include <algorithm>
#include <numeric>

namespace lbsp::dataflow::survival {

Holdings RunState::holdings(const Graph& graph) const {
  Holdings all = told;
  for (const StreamId id : streams.ids()) {
    if (graph.streams()[id].supply) continue;  // who needs it makes it
    all.streams.push_back(id);
    all.lengths.push_back(streams.find(id)->size());
  }
  return all;
}

void RunState::note(const World& world) {
  const auto& change = world.change();
  if (!change) return;
  if (!told.changes.empty() && told.changes.back().epoch >= change->epoch) return;
  RunChange noted{.epoch = change->epoch, .lost = static_cast<std::int32_t>(change->lost.size())};
  for (const Rank slot : change->seated)
    ++(std::ranges::count(change->lost, slot) > 0 ? noted.replaced : noted.joined);
  told.changes.push_back(noted);
}

RunState& Luggage::next_run(const World& world, const Graph& graph) {
  const std::uint32_t epoch = world.change() ? world.change()->epoch : 0;
  if (epoch_ != epoch) next_ = 0;
  epoch_ = epoch;
  if (next_ == runs_.size()) runs_.push_back(std::make_unique<RunState>());
  std::unique_ptr<RunState>& run = runs_[next_++];
  if (run->digest != graph.digest()) run = std::make_unique<RunState>();
  run->digest = graph.digest();
  return *run;
}

std::uint64_t Luggage::ended() const {
  return std::accumulate(
      runs_.begin(), runs_.end(), std::uint64_t{0},
      [](std::uint64_t sum, const std::unique_ptr<RunState>& run) { return sum + run->ended; });
}

void Luggage::drop_spare(std::uint64_t most_bytes) {
  std::uint64_t sum = 0;
  for (const auto& run : runs_)
    sum += run->streams.spare_bytes();
  for (const auto& run : runs_) {
    if (sum <= most_bytes) return;
    const std::uint64_t before = run->streams.spare_bytes();
    const std::uint64_t excess = sum - most_bytes;
    run->streams.drop_spare(before > excess ? before - excess : 0);
    sum -= before - run->streams.spare_bytes();
  }
}

}  // namespace lbsp::dataflow::survival
