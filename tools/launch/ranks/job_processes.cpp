#include "tools/launch/ranks/job_processes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace lbsp::launch::ranks {

JobProcesses::JobProcesses(const std::vector<job::Spawn>& spawns, const places::Placement& placement) {
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

JobProcess& JobProcesses::holder(Rank rank) {
  const auto found = std::ranges::find_if(
      processes_, [&](const JobProcess& process) { return process.rank() == rank && !process.is_outside(); });
  return *found;
}

bool JobProcesses::has_holder(Rank rank) const {
  return std::ranges::any_of(
      processes_, [&](const JobProcess& process) { return process.rank() == rank && !process.is_outside(); });
}

JobProcess* JobProcesses::newcomer_for(Rank rank) {
  const auto found = std::ranges::find_if(processes_, [&](const JobProcess& process) {
    return process.takes == rank && !process.seated && !process.ended;
  });
  return found == processes_.end() ? nullptr : &*found;
}

JobProcess* JobProcesses::newcomer_for(Rank rank, std::uint32_t number) {
  const auto found = std::ranges::find_if(processes_, [&](const JobProcess& process) {
    return process.takes == rank && !process.seated &&
           static_cast<std::uint32_t>(process.spawn.first_rank) == number;
  });
  return found == processes_.end() ? nullptr : &*found;
}

JobProcess& JobProcesses::add_newcomer(const JobProcess& in_place_of, std::size_t host,
                                       const places::PlacedHost& placed) {
  const Rank rank = in_place_of.rank();
  const JobProcess& last = processes_.back();
  JobProcess fresh{.spawn = in_place_of.spawn,
                   .host = host,
                   .name = fmt::format("rank {} on {}", rank, placed.name),
                   .takes = rank};
  fresh.spawn.first_rank = last.spawn.first_rank + last.spawn.ranks;
  fresh.spawn.input = false;
  fresh.spawn.terminal.reset();
  fresh.spawn.ranks_on_host = std::max(placed.ranks, 1);
  return processes_.emplace_back(std::move(fresh));
}

JobProcess& JobProcesses::add_joining(Rank rank, std::size_t host, const places::PlacedHost& placed) {
  JobProcess& fresh = add_newcomer(processes_.front(), host, placed);
  fresh.name = fmt::format("rank {} on {}", rank, placed.name);
  fresh.takes = rank;
  fresh.joins = true;
  return fresh;
}

void JobProcesses::seat(JobProcess& newcomer) {
  if (has_holder(newcomer.rank())) holder(newcomer.rank()).replaced = true;
  newcomer.seated = true;
}

bool JobProcesses::any_on(std::size_t host) const {
  return std::ranges::any_of(
      processes_, [&](const JobProcess& process) { return process.host == host && !process.ended; });
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
  return std::ranges::all_of(
      processes_, [](const JobProcess& process) { return process.has_told() || process.is_lost(); });
}

}  // namespace lbsp::launch::ranks
