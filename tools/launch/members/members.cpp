#include "tools/launch/members/members.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "lbsp/job/endings/program_error.hpp"
#include "tools/launch/course/tell_process.hpp"

namespace lbsp::launch::members {

using job::FrameKind;
using ranks::Failures;
using ranks::JobProcess;

Members::Members(uv::Loop& loop, course::Job& job, course::Ending& ending, Calls calls)
    : job_(job),
      ending_(ending),
      on_world_(std::move(calls.on_world)),
      replacements_(loop, job, ending, {.say = calls.say, .on_given_up = [this] { notices_.tell(); }}),
      notices_(job, ending, replacements_),
      silent_(loop, job, ending, replacements_),
      judge_(job.options, job.report.placement(), job.losses(), calls.say),
      joining_(loop, job, ending,
               {.on_host =
                    [this, on_host = std::move(calls.joining.on_host)] {
                      replacements_.add_host();
                      on_host();
                    },
                .on_size = std::move(calls.joining.on_size),
                .say = calls.say}) {}

void Members::take_changed(const job::Changed& change) {
  change_world(change);
  notices_.tell();
  end_without_the_lost();
}

void Members::change_world(const job::Changed& change) {
  if (!job_.losses().changed(change) || job_.losses().changes().back().what.epoch != change.epoch) return;
  for (const Rank rank : change.lost)
    if (const std::string why = silent_.why_unheard(rank, change.epoch - 1); !why.empty())
      job_.losses().add(rank, why);
  replacements_.begin_world(change);
  on_world_(change);
  for (std::size_t seat = 0; seat < change.seated.size(); ++seat)
    seat_newcomer(change.seated[seat], change.newcomers[seat], change);
  for (const Rank rank : change.members) {
    JobProcess* const newcomer = job_.processes.newcomer_for(rank);
    // Else the others have agreed before they missed that one.
    const bool there = job_.processes.has_holder(rank) && !job_.processes.holder(rank).ended;
    if (newcomer != nullptr && !newcomer->joins && there) replacements_.dismiss(*newcomer);
  }
}

void Members::seat_newcomer(Rank rank, std::uint32_t number, const job::Changed& change) {
  JobProcess* const newcomer = job_.processes.newcomer_for(rank, number);
  if (newcomer == nullptr) return;
  if (newcomer->joins) return joining_.seat(*newcomer, change);
  replacements_.seat(*newcomer);
  if (!newcomer->ended) return;
  // It is lost from this world, and did come.
  judge_.came_after_all(rank);
  job_.losses().add(rank, newcomer->how);
}

void Members::take_left(const job::LeftWorld& left) {
  if (!ending_.may_lose()) return;
  if (const std::string why = judge_.take_left(left, survival::LossLoop::Clock::now()); !why.empty())
    ending_.fail(Failures::Kind::process, why);
}

void Members::take_exclusion(const JobProcess& process, Rank rank, const std::string& message) {
  const std::string why = silent_.why_unheard(rank);
  job_.losses().add(
      rank,
      why.empty() ? job::endings::failure_of(rank, job_.placement.hosts[process.host].name, message) : why);
  replacements_.begin(process, Replacements::Loss::silence);
  end_without_the_lost();
}

bool Members::take_from_outside(JobProcess& process, const job::Frame& frame) {
  switch (frame.kind) {
    case FrameKind::output:
    case FrameKind::error_output:
      return true;
    case FrameKind::changed:
      if (process.takes) change_world(job::from_payload<job::Changed>(frame.payload));
      notices_.tell();
      return false;
    case FrameKind::hello:
      if (process.takes) take_greeting(process, job::from_payload<job::Hello>(frame.payload));
      return false;
    case FrameKind::failure:
      if (process.joins && !process.seated)
        joining_.refuse(process, job::from_payload<job::Failure>(frame.payload).message);
      return false;
    case FrameKind::exited:
      process.ended = true;
      process.exited = true;
      take_end(process, job::from_payload<job::Exited>(frame.payload));
      return false;
    default:
      return false;
  }
}

void Members::take_greeting(JobProcess& newcomer, const job::Hello& hello) {
  newcomer.greeted = true;
  replacements_.greeted(newcomer.rank());
  job_.start_up.hello_newcomer(newcomer.rank(), newcomer.host, hello);
  course::tell(job_.hosts, newcomer, FrameKind::start, to_payload(job_.start_up.start()));
  notices_.tell();
}

void Members::take_end(JobProcess& process, const job::Exited& end) {
  const std::string how = ranks::describe_end(process, end, true);
  process.how = how;
  if (process.joins && !process.seated) {
    joining_.refuse(process, how);
    joining_.free_rank(process);
  } else if (process.takes && !process.replaced && !process.given_up &&
             job_.processes.holder(process.rank()).ended) {
    const std::string why =
        process.dismissed ? std::string{} : judge_.take_lost_newcomer(process.rank(), how);
    if (!why.empty()) {
      ending_.fail(Failures::Kind::process, why);
    } else {
      replacements_.begin(process, Replacements::Loss::process);
    }
    notices_.tell();
  }
  end_without_the_lost();
  ending_.end_if_all_have_told();
  ending_.close_if_all_ended();
}

void Members::lose(const JobProcess& process, const std::string& how) {
  job_.losses().add(process.rank(), how);
  replacements_.begin(process, Replacements::Loss::process);
  notices_.tell();
}

void Members::lose_host(std::size_t host, const std::string& why) {
  std::vector<const JobProcess*> lost;
  for (JobProcess& process : job_.processes) {
    if (process.host != host || process.ended) continue;
    lost.push_back(&process);
    if (process.is_outside()) {
      process.how = why;
    } else {
      job_.losses().add(process.rank(), why);
    }
  }
  job_.processes.end_on(host);
  for (const JobProcess* const process : lost) {
    if (process->joins && !process->seated) {
      joining_.refuse(*process, why);
      if (!process->greeted) joining_.free_rank(*process);
    }
    replacements_.begin(*process, Replacements::Loss::host);
  }
  notices_.tell();
  end_without_the_lost();
  ending_.close_if_all_ended();
}

void Members::end_without_the_lost() {
  if (!ending_.may_lose() || ending_.failures().any() || job_.losses().all().empty()) return;
  const auto lost = [&](const JobProcess& process) {
    return process.is_outside() || job_.losses().has(process.rank());
  };
  if (!std::ranges::all_of(job_.processes,
                           [&](const auto& process) { return process.ended || lost(process); }))
    return;
  const auto came_to_its_end = [](const JobProcess& process) {
    return process.has_reported() && !process.failed;
  };
  if (std::ranges::none_of(job_.processes, came_to_its_end)) {
    return ending_.fail(Failures::Kind::process,
                        fmt::format("too few ranks were left to go on{}, after {}", silent_.without_them(),
                                    job_.losses().first_reason()));
  }
  if (job_.processes.all_ended()) return;
  ending_.kill_processes();
}

}  // namespace lbsp::launch::members
