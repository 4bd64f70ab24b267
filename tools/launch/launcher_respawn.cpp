// How a job that goes on gets new processes in the places of lost ranks.
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "tools/launch/course/tell_process.hpp"
#include "tools/launch/launcher.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {

using job::FrameKind;
using ranks::Failures;
using ranks::JobProcess;
using survival::SpareSlots;

namespace {

/// Of the peer timeout: for so long ranks may tell of one loss at different times, as each has heard it last when it
/// last said something.
constexpr int parts_of_patience = 4;

}  // namespace

void Launcher::respawn(const JobProcess& lost, SpareSlots::Loss loss) {
  const Rank rank = lost.rank();
  if (lost.joins && !lost.seated) return;
  if (!job_.options.respawns() || !ending_.may_lose() || ending_.failures().any() || lost.replaced) return;
  if (job_.processes.newcomer_for(rank) != nullptr || newcomers_.is_in_vain(rank)) return;
  const auto host = spare_slots_.take(rank, lost.host, loss);
  if (!host) return;
  const JobProcess& fresh = job_.processes.add_newcomer(lost, *host, job_.placement.hosts[*host]);
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  course::begin_process(job_.hosts, fresh, job_.start_up.welcome_newcomer(rank, *host, progress));
  newcomers_.begin(rank, loss == SpareSlots::Loss::silence && *host == lost.host);
}

void Launcher::say_who_is_awaited(Rank rank) {
  const JobProcess* const newcomer = job_.processes.newcomer_for(rank);
  if (newcomer == nullptr || !ending_.may_lose()) return;
  output_.say(fmt::format(
      "rank {} on {} is missed: the others wait for a new process in its place, on {}, for {} at most", rank,
      job_.report.placement().host_of(rank), job_.placement.hosts[newcomer->host].name,
      transport::format_duration(job_.options.exchange.newcomer_wait, 2)));
}

/// The ranks are told that it does not come.
void Launcher::give_up_newcomer(Rank rank) {
  JobProcess* const newcomer = job_.processes.newcomer_for(rank);
  if (newcomer == nullptr || !ending_.may_lose()) return;
  newcomer->given_up = true;
  newcomers_.give_up(rank);
  course::end_process(job_.hosts, *newcomer);
  tell_of_losses();
}

void Launcher::take_left(const job::LeftWorld& left) {
  if (!ending_.may_lose()) return;
  if (const std::string why = loss_judge_.take_left(left, survival::LossLoop::Clock::now()); !why.empty())
    ending_.fail(Failures::Kind::process, why);
}

Rank Launcher::members() const {
  const auto& changes = job_.losses().changes();
  return changes.empty() ? job_.start_up.size() : static_cast<Rank>(changes.back().what.members.size());
}

/// What only few say they may be right in, if they still say it when the others have had their time.
void Launcher::take_missed(Rank from, const job::Missed& missed) {
  if (!ending_.may_lose()) return;
  missed_.take(from, missed);
  respawn_missed(missed_.by_half(members()));
  if (missed.ranks.empty() || missed_timer_.running()) return;
  const auto patience = job_.options.exchange.peer_timeout / parts_of_patience;
  missed_timer_.start(std::chrono::ceil<std::chrono::milliseconds>(patience),
                      [this] { respawn_missed(missed_.by_any(members())); });
}

void Launcher::respawn_missed(const std::vector<Rank>& ranks) {
  for (const Rank rank : ranks) {
    if (!job_.processes.has_holder(rank) || !ending_.may_lose()) continue;
    const JobProcess& holder = job_.processes.holder(rank);
    // Who slept may still miss the process before.
    if (job_.losses().is_back_since(rank, missed_.epoch())) continue;
    if (!holder.ended) respawn(holder, SpareSlots::Loss::silence);
  }
}

void Launcher::take_changed(const job::Changed& change) {
  if (!job_.losses().changed(change) || job_.losses().changes().back().what.epoch != change.epoch) return;
  for (const Rank rank : change.lost)
    if (const std::string why = why_unheard(rank, change.epoch - 1); !why.empty())
      job_.losses().add(rank, why);
  newcomers_.begin_world();
  end_newcomers_of_the_lost(change);
  progress_.go_on_with(change.members);
  window_.go_on_with(change);
  for (const Rank rank : change.members) {
    JobProcess* const newcomer = job_.processes.newcomer_for(rank);
    if (newcomer == nullptr) continue;
    const bool seated = std::ranges::find(change.seated, rank) != change.seated.end();
    if (newcomer->joins) {
      if (seated) take_joined(*newcomer, change);
    } else if (seated) {
      course::end_process(job_.hosts, job_.processes.holder(rank));
      job_.seat(*newcomer);
      newcomers_.end(rank);
      spare_slots_.seated(rank);
    } else {
      course::end_process(job_.hosts, *newcomer);
      if (newcomer->host != job_.processes.holder(rank).host) spare_slots_.give_back(newcomer->host);
      job_.start_up.forget_newcomer(rank);
    }
  }
}

/// Nobody lets them in any more: the others go on without those ranks.
void Launcher::end_newcomers_of_the_lost(const job::Changed& change) {
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

/// Of a process without a place in the job. Returns whether there is more to be done with it.
bool Launcher::take_from_outside(JobProcess& process, const job::Frame& frame) {
  switch (frame.kind) {
    case FrameKind::output:
    case FrameKind::error_output:
      return true;
    case FrameKind::changed:
      if (process.takes) take_changed(job::from_payload<job::Changed>(frame.payload));
      tell_of_losses();
      return false;
    case FrameKind::hello:
      if (!process.takes) return false;
      process.greeted = true;
      newcomers_.greeted(process.rank());
      job_.start_up.hello_newcomer(process.rank(), process.host,
                                   job::from_payload<job::Hello>(frame.payload));
      course::tell(job_.hosts, process, FrameKind::start, to_payload(job_.start_up.start()));
      tell_of_losses();
      return false;
    case FrameKind::failure:
      if (process.joins && !process.seated)
        take_not_joined(process, job::from_payload<job::Failure>(frame.payload).message);
      return false;
    case FrameKind::exited: {
      process.ended = true;
      process.exited = true;
      const auto end = job::from_payload<job::Exited>(frame.payload);
      if (process.joins && !process.seated) {
        take_not_joined(process, ranks::describe_end(process, end, true));
        free_its_rank(process);
      } else if (process.takes && !process.replaced && !process.given_up &&
                 job_.processes.holder(process.rank()).ended) {
        const std::string how = ranks::describe_end(process, end, true);
        if (const std::string why = loss_judge_.take_lost_newcomer(process.rank(), how); !why.empty()) {
          ending_.fail(Failures::Kind::process, why);
        } else {
          respawn(process, SpareSlots::Loss::process);
        }
        tell_of_losses();
      }
      end_without_the_lost();
      ending_.end_if_all_have_told();
      ending_.close_if_all_ended();
      return false;
    }
    default:
      return false;
  }
}

}  // namespace lbsp::launch
