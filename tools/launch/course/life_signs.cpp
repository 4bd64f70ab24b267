#include "tools/launch/course/life_signs.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "transport/quantity.hpp"

namespace lbsp::launch::course {

using hosts::HostWatch;
using ranks::Failures;
using ranks::JobProcess;

LifeSigns::LifeSigns(uv::Loop& loop, Job& job, Ending& ending, std::function<void()> on_losses)
    : job_(job),
      ending_(ending),
      on_losses_(std::move(on_losses)),
      watch_(job.placement.hosts.size(), job.options.exchange.peer_timeout),
      timer_(loop) {}

void LifeSigns::watch() {
  if (ending_.phase() != Phase::running) return;
  timer_.start(std::chrono::ceil<std::chrono::milliseconds>(HostWatch::tick_interval), [this] { watch(); });
  watch_.tick(what_ranks_do());
  if (watch_.stopped_for_good()) return give_up_the_stopped();
  if (job_.options.backend != job::Backend::mpi) end_if_only_lost_hosts_are_left();
}

HostWatch::Ranks LifeSigns::what_ranks_do() const {
  const auto runs = [this](const JobProcess& process) {
    return process.is_awaited() && !job_.hosts.stopped(process.host, process.spawn.first_rank);
  };
  if (std::ranges::any_of(job_.processes, runs) ||
      std::ranges::none_of(job_.processes, &JobProcess::is_awaited))
    return HostWatch::Ranks::run;
  return std::ranges::any_of(job_.processes, &JobProcess::ended) ? HostWatch::Ranks::left_stopped
                                                                 : HostWatch::Ranks::stopped;
}

void LifeSigns::give_up_the_stopped() {
  const std::string stop = transport::format_duration(watch_.longest_stop());
  if (what_ranks_do() == HostWatch::Ranks::stopped) {
    return ending_.fail(
        Failures::Kind::process,
        fmt::format("all ranks have been stopped for {}: continue them sooner (kill -CONT), or see what "
                    "stopped them",
                    stop));
  }
  const auto left = std::ranges::find_if(job_.processes, &JobProcess::is_awaited);
  ending_.fail(
      Failures::Kind::process,
      fmt::format(
          "{} has been stopped for {}, and others have ended without it: continue it sooner (kill -CONT), "
          "or see what stopped it",
          left->name, stop));
}

void LifeSigns::end_if_only_lost_hosts_are_left() {
  const auto lost = [this](const JobProcess& process) {
    return !job_.placement.hosts[process.host].local && watch_.lost(process.host);
  };
  if (std::ranges::any_of(job_.processes,
                          [&](const auto& process) { return process.is_awaited() && !lost(process); }))
    return;
  const auto process = std::ranges::find_if(job_.processes, &JobProcess::is_awaited);
  if (process == job_.processes.end()) return;
  const std::string problem = fmt::format(
      "host {}: nothing was heard of it for {}, and all others have come to their end: see whether it "
      "is frozen or cut off",
      job_.placement.hosts[process->host].name, transport::format_duration(watch_.limit()));
  if (ending_.may_lose()) {
    for (const JobProcess& silent : job_.processes)
      if (silent.is_awaited()) job_.losses().add(silent.rank(), problem);
    return on_losses_();
  }
  ending_.fail(Failures::Kind::process, problem);
  for (const JobProcess& silent : job_.processes) {
    if (silent.is_awaited()) job_.hosts.kill(silent.host);
  }
}

}  // namespace lbsp::launch::course
