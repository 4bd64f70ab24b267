// Hosts that are gone or silent, and ranks that are stopped.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "tools/launch/launcher.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {

using hosts::HostWatch;
using ranks::Failures;
using ranks::JobProcess;
using survival::SpareSlots;

void Launcher::take_host_gone(std::size_t host, const std::string& problem) {
  spare_slots_.lose(host);
  const bool only_spare = job_.options.respawns() && job_.placement.hosts[host].ranks == 0;
  if (only_spare && !job_.processes.any_on(host)) return finish_if_done();
  if (may_lose()) {
    std::vector<JobProcess*> lost;
    for (JobProcess& process : job_.processes) {
      if (process.host != host || process.ended) continue;
      lost.push_back(&process);
      if (!process.is_outside()) job_.losses().add(process.rank(), job_.hosts.why_unreachable(host, problem));
    }
    job_.processes.end_on(host);
    for (JobProcess* process : lost) {
      if (process->joins && !process->seated) {
        take_not_joined(*process, job_.hosts.why_unreachable(host, problem));
        if (!process->greeted) free_its_rank(*process);
      }
      respawn(*process, SpareSlots::Loss::host);
    }
    tell_of_losses();
    end_without_the_lost();
    close_if_all_ended();
    return finish_if_done();
  }
  job_.processes.end_on(host);
  if (phase_ != Phase::closing) {
    fail(Failures::Kind::process, job_.hosts.why_unreachable(host, problem));
    close_if_all_ended();
  }
  finish_if_done();
}

void Launcher::watch_hosts() {
  if (phase_ != Phase::running) return;
  watch_timer_.start(std::chrono::ceil<std::chrono::milliseconds>(HostWatch::tick_interval),
                     [this] { watch_hosts(); });
  watch_.tick(what_ranks_do());
  if (watch_.stopped_for_good()) return give_up_the_stopped();
  if (job_.options.backend != job::Backend::mpi) end_if_only_lost_hosts_are_left();
}

HostWatch::Ranks Launcher::what_ranks_do() const {
  const auto runs = [this](const JobProcess& process) {
    return process.is_awaited() && !job_.hosts.stopped(process.host, process.spawn.first_rank);
  };
  if (std::ranges::any_of(job_.processes, runs) ||
      std::ranges::none_of(job_.processes, &JobProcess::is_awaited))
    return HostWatch::Ranks::run;
  return std::ranges::any_of(job_.processes, &JobProcess::ended) ? HostWatch::Ranks::left_stopped
                                                                 : HostWatch::Ranks::stopped;
}

void Launcher::give_up_the_stopped() {
  const std::string stop = transport::format_duration(watch_.longest_stop());
  if (what_ranks_do() == HostWatch::Ranks::stopped) {
    return fail(
        Failures::Kind::process,
        fmt::format("all ranks have been stopped for {}: continue them sooner (kill -CONT), or see what "
                    "stopped them",
                    stop));
  }
  const auto left = std::ranges::find_if(job_.processes, &JobProcess::is_awaited);
  fail(Failures::Kind::process,
       fmt::format(
           "{} has been stopped for {}, and others have ended without it: continue it sooner (kill -CONT), "
           "or see what stopped it",
           left->name, stop));
}

void Launcher::end_if_only_lost_hosts_are_left() {
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
  if (may_lose()) {
    for (const JobProcess& silent : job_.processes)
      if (silent.is_awaited()) job_.losses().add(silent.rank(), problem);
    return end_without_the_lost();
  }
  fail(Failures::Kind::process, problem);
  for (const JobProcess& silent : job_.processes) {
    if (silent.is_awaited()) job_.hosts.kill(silent.host);
  }
}

void Launcher::end_if_only_stopped_are_left() {
  if (phase_ != Phase::running || !failures_.any()) return;
  const auto has_nothing_to_say = [this](const JobProcess& process) {
    return process.ended || (process.is_lost() && job_.hosts.stopped(process.host, process.spawn.first_rank));
  };
  if (std::ranges::all_of(job_.processes, has_nothing_to_say)) end_processes(SIGTERM);
}

}  // namespace lbsp::launch
