#include "tools/launch/survival/loss_judge.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "transport/counted.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::survival {

std::string LossJudge::take_left(const job::LeftWorld& left, LossLoop::Clock::time_point now) {
  const auto changes = losses_.changes_between(judged_, left.epoch);
  if (changes.empty()) return {};
  judged_ = left.epoch;
  loop_.world_ended(
      std::accumulate(changes.begin() + 1, changes.end(), changes.front(), transport::followed_by), left,
      now);
  if (loop_.is_one_of_nobody()) {
    return fmt::format(
        "ranks were silent for too long {} times in a row, although none was lost, and the job got no "
        "further: raise --peer-timeout, or send less per superstep",
        loop_.of_nobody_in_a_row());
  }
  for (const job::Changed& change : changes)
    for (const Rank rank : change.lost)
      if (std::string why = take_lost(rank, change); !why.empty()) return why;
  return {};
}

std::string LossJudge::take_lost_newcomer(Rank rank, const std::string& how) {
  loop_.lost_before_it_came(rank);
  return why_in_vain(rank, how);
}

std::string LossJudge::take_lost(Rank rank, const job::Changed& change) {
  const std::string how = text_of(rank, change);
  const int times = options_.respawns() ? loop_.in_a_row(rank) : 1;
  if (options_.respawns()) losses_.set_in_a_row(rank, change.epoch, times);
  // Of one that has ended or was unreachable, what to do about it comes with how.
  const bool is_advised = !losses_.newest(rank).how.empty();
  const std::string advised =
      is_advised ? how : fmt::format("{}: look at its host and network, or raise --peer-timeout", how);
  if (std::string why = why_in_vain(rank, advised); !why.empty()) return why;
  const std::string without_progress =
      times > 1 ? fmt::format(" (lost {} times in a row without progress)", times) : "";
  const bool seated = std::ranges::find(change.seated, rank) != change.seated.end();
  say_(seated ? fmt::format("{}: a new process has its place{}", how, without_progress)
              : fmt::format("{}: {} without it{}", how,
                            counted(change.members.size(), "rank goes on", "ranks go on"), without_progress));
  return {};
}

std::string LossJudge::why_in_vain(Rank rank, const std::string& how) const {
  if (!options_.respawns()) return {};
  if (loop_.is_one(rank))
    return fmt::format("rank {} was lost {} times in a row, and the job got no further, the last time: {}",
                       rank, loop_.in_a_row(rank), how);
  if (!loop_.is_one_of_any()) return {};
  return fmt::format("ranks were lost {} times in a row, and the job got no further, the last time: {}",
                     loop_.of_any_in_a_row(), how);
}

/// How the rank was lost in this change of the world, from its name on. Who tells of it first may have heard it when
/// the others did not.
std::string LossJudge::text_of(Rank rank, const job::Changed& change) const {
  const Losses::Loss& loss = losses_.newest(rank);
  if (loss.how.starts_with("rank ")) return loss.how;
  const std::string name =
      fmt::format("rank {} on {}", rank, loss.host.empty() ? placement_.host_of(rank) : loss.host);
  if (loss.how.empty() && change.silence < options_.exchange.peer_timeout / 2)
    return fmt::format("{} was not heard by the others for too long", name);
  if (loss.how.empty()) {
    const bool one_of_several = change.lost.size() > 1;  // the figure is of the one heard last
    return fmt::format("{} was silent for {}{}", name, transport::format_duration(change.silence, 3),
                       one_of_several ? " at least" : "");
  }
  return fmt::format("{} was lost: {}", name, loss.how);
}

}  // namespace lbsp::launch::survival
