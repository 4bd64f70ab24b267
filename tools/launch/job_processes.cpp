#include "tools/launch/job_processes.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace lbsp::launch {

JobProcesses::JobProcesses(const std::vector<job::Spawn>& spawns, const Placement& placement) {
  std::size_t host = 0;
  for (const job::Spawn& spawn : spawns) {
    while (spawn.first_rank >= placement.hosts[host].first_rank + placement.hosts[host].ranks)
      ++host;
    processes_.push_back(
        {.spawn = spawn,
         .host = host,
         .name = fmt::format("rank {} on {}", spawn.first_rank, placement.hosts[host].name)});
  }
}

JobProcess* JobProcesses::of(Rank rank) {
  const auto found = std::ranges::find_if(processes_, [&](const JobProcess& process) {
    return rank >= process.spawn.first_rank && rank < process.spawn.first_rank + process.spawn.ranks;
  });
  return found == processes_.end() ? nullptr : &*found;
}

void JobProcesses::end_on(std::size_t host) {
  for (JobProcess& process : processes_) {
    if (process.host == host) process.ended = true;
  }
}

bool JobProcesses::all_ended() const {
  return std::ranges::all_of(processes_, &JobProcess::ended);
}

bool JobProcesses::all_have_told() const {
  return std::ranges::all_of(processes_, &JobProcess::has_told);
}

void ask_ranks(JobHosts& hosts, const JobProcesses& processes, job::FrameKind kind) {
  for (const JobProcess& process : processes)
    if (!process.has_told())
      hosts.send(process.host, {kind, static_cast<std::uint16_t>(process.spawn.first_rank), {}});
}

}  // namespace lbsp::launch
