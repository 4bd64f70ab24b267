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
  if (only_spare && !job_.processes.any_on(host)) return ending_.finish_if_done();
  if (ending_.may_lose()) {
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
    ending_.close_if_all_ended();
    return ending_.finish_if_done();
  }
  job_.processes.end_on(host);
  if (ending_.phase() != course::Phase::closing) {
    ending_.fail(Failures::Kind::process, job_.hosts.why_unreachable(host, problem));
    ending_.close_if_all_ended();
  }
  ending_.finish_if_done();
}

}  // namespace lbsp::launch
