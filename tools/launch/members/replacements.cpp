#include "tools/launch/members/replacements.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "tools/launch/course/tell_process.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::members {

using ranks::JobProcess;

namespace {

/// After it was heard once, a rank is missed, and what few say of that waits for a while, as the agreement does.
constexpr int peer_timeouts_to_be_silent_again = 3;

}  // namespace

Replacements::Replacements(uv::Loop& loop, course::Job& job, const course::Ending& ending, Calls calls)
    : job_(job),
      ending_(ending),
      calls_(std::move(calls)),
      slots_(job.placement, peer_timeouts_to_be_silent_again * job.options.exchange.peer_timeout),
      newcomers_(loop, job.options.exchange.peer_timeout,
                 {.is_late = [this](Rank rank) { say_who_is_awaited(rank); },
                  .in_vain = [this](Rank rank) { give_up(rank); }}) {}

void Replacements::begin(const JobProcess& lost, Loss loss) {
  const Rank rank = lost.rank();
  if (lost.joins && !lost.seated) return;
  if (!job_.options.respawns() || !ending_.may_lose() || ending_.failures().any() || lost.replaced) return;
  if (job_.processes.newcomer_for(rank) != nullptr || newcomers_.is_in_vain(rank)) return;
  const auto host = slots_.take(rank, lost.host, loss, std::chrono::steady_clock::now());
  if (!host) {
    if (loss != Loss::silence) return;
    newcomers_.give_up(rank);
    return calls_.on_given_up();
  }
  const JobProcess& fresh = job_.processes.add_newcomer(lost, *host, job_.placement.hosts[*host]);
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  course::begin_process(job_.hosts, fresh, job_.start_up.welcome_newcomer(rank, *host, progress));
  newcomers_.begin(rank, loss == Loss::silence && *host == lost.host);
}

void Replacements::begin_world(const job::Changed& change) {
  newcomers_.begin_world();
  for (const Rank rank : change.lost) {
    newcomers_.end(rank);
    if (std::ranges::find(change.seated, rank) != change.seated.end()) continue;
    JobProcess* const newcomer = job_.processes.newcomer_for(rank);
    if (newcomer == nullptr || newcomer->joins) continue;
    newcomer->given_up = true;
    course::end_process(job_.hosts, *newcomer);
    job_.start_up.forget_newcomer(rank);
  }
}

void Replacements::seat(JobProcess& newcomer) {
  const Rank rank = newcomer.rank();
  course::end_process(job_.hosts, job_.processes.holder(rank));
  job_.seat(newcomer);
  if (job_.processes.newcomer_for(rank) == nullptr) newcomers_.end(rank);
  slots_.seated(rank, std::chrono::steady_clock::now());
}

void Replacements::dismiss(JobProcess& newcomer) {
  if (newcomer.dismissed) return;
  const Rank rank = newcomer.rank();
  newcomer.dismissed = true;
  course::end_process(job_.hosts, newcomer);
  if (newcomer.host != job_.processes.holder(rank).host) slots_.give_back(newcomer.host);
  job_.start_up.forget_newcomer(rank);
}

/// The job stands still for it.
void Replacements::say_who_is_awaited(Rank rank) {
  const JobProcess* const newcomer = job_.processes.newcomer_for(rank);
  if (newcomer == nullptr || !ending_.may_lose()) return;
  calls_.say(fmt::format(
      "rank {} on {} is missed: the others wait for a new process in its place, on {}, for {} at most", rank,
      job_.report.placement().host_of(rank), job_.placement.hosts[newcomer->host].name,
      transport::format_duration(job_.options.exchange.newcomer_wait, 2)));
}

void Replacements::give_up(Rank rank) {
  JobProcess* const newcomer = job_.processes.newcomer_for(rank);
  if (newcomer == nullptr || !ending_.may_lose()) return;
  newcomer->given_up = true;
  newcomers_.give_up(rank);
  course::end_process(job_.hosts, *newcomer);
  calls_.on_given_up();
}

}  // namespace lbsp::launch::members
