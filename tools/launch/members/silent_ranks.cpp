#include "tools/launch/members/silent_ranks.hpp"

#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

#include "tools/launch/places/rank_names.hpp"
#include "transport/host_refusal.hpp"

namespace lbsp::launch::members {

using ranks::JobProcess;

namespace {

/// Of the peer timeout: for so long ranks may tell of one loss at different times, as each has heard it last when it
/// last said something.
constexpr int parts_of_patience = 4;

}  // namespace

SilentRanks::SilentRanks(uv::Loop& loop, course::Job& job, const course::Ending& ending,
                         Replacements& replacements)
    : job_(job), ending_(ending), replacements_(replacements), timer_(loop) {}

/// What only few say they may be right in, if they still say it when the others have had their time.
void SilentRanks::take(Rank from, const job::Missed& missed) {
  if (!ending_.may_lose()) return;
  missed_.take(from, missed);
  replace(missed_.by_half(members()));
  if (missed.ranks.empty() || timer_.running()) return;
  const auto patience = job_.options.exchange.peer_timeout / parts_of_patience;
  timer_.start(std::chrono::ceil<std::chrono::milliseconds>(patience),
               [this] { replace(missed_.by_any(members())); });
}

/// How many the newest world has that is known here.
Rank SilentRanks::members() const {
  const auto& changes = job_.losses().changes();
  return changes.empty() ? job_.start_up.size() : static_cast<Rank>(changes.back().what.members.size());
}

void SilentRanks::replace(const std::vector<Rank>& missed) {
  for (const Rank rank : missed) {
    if (!job_.processes.has_holder(rank) || !ending_.may_lose()) continue;
    const JobProcess& holder = job_.processes.holder(rank);
    // Who slept may still miss the process before.
    if (job_.losses().is_back_since(rank, missed_.epoch())) continue;
    if (!holder.ended) replacements_.begin(holder, Replacements::Loss::silence);
  }
}

std::string SilentRanks::why_unheard(Rank rank, std::uint32_t epoch) const {
  const auto refusal = missed_.refusal_about(rank, epoch);
  if (!refusal) return {};
  const std::string host = job_.report.placement().host_of(refusal->from);
  const char* const problem = std::strerror(refusal->error);
  const std::string_view place = transport::place_of_refusal(refusal->error);
  if (refusal->from == rank)
    return fmt::format(
        "rank {} on {} was not heard: its own host refuses to send to rank {} ({}): look at the {} there",
        rank, host, refusal->to, problem, place);
  return fmt::format(
      "rank {} on {} did not hear rank {}, as host {} refuses to send to it ({}): look at the {} there", rank,
      job_.report.placement().host_of(rank), refusal->from, host, problem, place);
}

std::string SilentRanks::without_them() const {
  std::vector<Rank> silent = missed_.by_all();
  std::erase_if(silent, [this](Rank rank) {
    if (!job_.processes.has_holder(rank)) return true;
    const JobProcess& holder = job_.processes.holder(rank);
    return holder.ended && !holder.failed;
  });
  if (silent.empty()) return "";
  const std::string host = silent.size() == 1 ? " on " + job_.report.placement().host_of(silent.front()) : "";
  return fmt::format(" without {}{}, which {} silent", places::name_ranks(silent), host,
                     silent.size() == 1 ? "was" : "were");
}

}  // namespace lbsp::launch::members
