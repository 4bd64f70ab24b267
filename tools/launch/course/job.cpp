#include "tools/launch/course/job.hpp"

#include <utility>

namespace lbsp::launch::course {

Job::Job(uv::Loop& loop, const request::RunOptions& of_user, const places::Placement& at_start,
         const network::KnownNetwork* known, hosts::JobHosts::Events events)
    : options(of_user),
      placement(at_start),
      start_up(options, placement, known),
      report(options, placement),
      hosts(loop, options, placement, std::move(events)),
      processes(start_up.spawns(), placement) {}

std::size_t Job::add_host(const places::PlacedHost& placed) {
  placement.hosts.push_back(placed);
  start_up.add_host(placed);
  report.add_host(placed);
  hosts.add();
  return placement.hosts.size() - 1;
}

void Job::seat(ranks::JobProcess& newcomer) {
  const Rank rank = newcomer.rank();
  report.move(rank, newcomer.host);
  placement.moved[rank] = newcomer.host;
  processes.seat(newcomer);
  if (!newcomer.ended) start_up.seat_newcomer(rank);
}

}  // namespace lbsp::launch::course
