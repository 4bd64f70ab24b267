#pragma once

#include <cstddef>

#include "tools/launch/hosts/job_hosts.hpp"
#include "tools/launch/network/known_network.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "tools/launch/ranks/job_processes.hpp"
#include "tools/launch/ranks/start_up.hpp"
#include "tools/launch/report/job_report.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/launch/survival/losses.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch::course {

/// What is known of a job, and the way to its processes. It decides nothing.
struct Job {
  /// `loop` and `known`, if any, must outlive it.
  Job(uv::Loop& loop, const request::RunOptions& of_user, const places::Placement& at_start,
      const network::KnownNetwork* known, hosts::JobHosts::Events events);

  request::RunOptions options;
  places::Placement placement;  ///< as it is now
  ranks::StartUp start_up;
  report::JobReport report;
  hosts::JobHosts hosts;
  ranks::JobProcesses processes;

  survival::Losses& losses() { return report.losses(); }
  const survival::Losses& losses() const { return report.losses(); }

  /// One joins. Returns its number.
  std::size_t add_host(const places::PlacedHost& placed);
  /// A new process has got the place that it is to take.
  void seat(ranks::JobProcess& newcomer);
};

}  // namespace lbsp::launch::course
