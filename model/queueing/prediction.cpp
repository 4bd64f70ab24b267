#include "model/queueing/prediction.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "model/mathematics/require.hpp"

namespace lbsp::model::queueing {
namespace {

/// Services of one visit.
struct Services {
  double cpu = 0;  ///< on a core of speed 1
  double net = 0;
};

int total_of(const std::vector<int>& processes) {
  double total = 0;
  for (const int each : processes) {
    if (each < 0) throw std::invalid_argument(std::to_string(each) + " processes on a host: give 0 or more");
    total += each;
  }
  mathematics::require_count(total, "processes");
  if (total > 1e9) throw std::invalid_argument(mathematics::shown(total) + " processes: give fewer");
  return static_cast<int>(total);
}

void require_input(const Placement& placement, const Workload& workload, const Constants& constants) {
  if (placement.hosts.size() != placement.processes.size())
    throw std::invalid_argument("processes for " + std::to_string(placement.processes.size()) +
                                " hosts, and " + std::to_string(placement.hosts.size()) +
                                " hosts: give each host its number of processes");
  for (const Host& host : placement.hosts) {
    mathematics::require_count(host.cores, "cores");
    mathematics::require_positive(host.speed, "a speed");
  }
  if (!(workload.compute_share >= 0 && workload.compute_share <= 1))
    throw std::invalid_argument("a share of computing of " + mathematics::shown(workload.compute_share) +
                                ": give a fraction from 0 to 1");
  mathematics::require_not_negative(workload.startup_seconds, "a time to start a message");
  mathematics::require_not_negative(workload.byte_seconds, "a time of a byte");
  mathematics::require_not_negative(workload.delay_seconds, "a delay");
  mathematics::require_not_negative(placement.shared_cores, "shared cores");
  mathematics::require_positive(constants.cpu, "a constant of the processors");
  mathematics::require_positive(constants.net, "a constant of the network");
}

Services services(double processes, const Workload& workload, const Constants& constants) {
  const double sends = workload.sends.sends(processes);
  const double bytes = workload.messages.bytes(processes);
  mathematics::require_positive(sends, "a number of sends");
  mathematics::require_not_negative(bytes, "a mean message size");
  return {constants.cpu / (sends * processes),
          constants.net * (workload.startup_seconds + bytes * workload.byte_seconds)};
}

/// What a job demands in one cycle, by host; the processors of hosts that share a machine are one station.
struct Stations {
  std::vector<Station> cpu;
  std::vector<int> users;  ///< processes of each of these
  std::vector<Station> net;
  double delay = 0;

  std::vector<Station> all(int jobs) const {
    std::vector<Station> out = cpu;
    out.insert(out.end(), net.begin(), net.end());
    if (delay > 0) out.push_back({delay, jobs});  // nobody queues for it
    return out;
  }
};

Stations stations_of(const Placement& placement, const Visits& visits, const Services& services,
                     double delay) {
  Stations out;
  double leaving = 0;
  for (std::size_t i = 0; i < placement.hosts.size(); ++i) {
    const Host& host = placement.hosts[i];
    const Station cpu{visits.cpu[i] * services.cpu / host.speed, host.cores};
    if (placement.shared_cores == 0 || i == 0) {
      out.cpu.push_back(cpu);
      out.users.push_back(placement.processes[i]);
    } else {
      out.cpu.front().demand += cpu.demand;
      out.users.front() += placement.processes[i];
    }
    out.net.push_back({visits.net[i] * services.net, 1});
    leaving += visits.net[i] / 2;
  }
  if (placement.shared_cores > 0) out.cpu.front().servers = placement.shared_cores;
  out.delay = leaving * delay;
  return out;
}

/// The paper's literal cores: a server that is as many times faster as it has cores with processes.
void make_servers_faster(Stations& stations) {
  for (std::size_t i = 0; i < stations.cpu.size(); ++i)
    stations.cpu[i] = {stations.cpu[i].demand / std::clamp(stations.users[i], 1, stations.cpu[i].servers), 1};
}

/// A superstep: the slowest host's computing, the slowest interface, and the way to the last one.
double superstep_seconds(const Stations& stations, int jobs, double delay) {
  double computing = 0;
  for (std::size_t i = 0; i < stations.cpu.size(); ++i)
    computing = std::max(
        computing, jobs * stations.cpu[i].demand / std::clamp(stations.users[i], 1, stations.cpu[i].servers));
  double sending = 0;
  for (const Station& net : stations.net)
    sending = std::max(sending, jobs * net.demand);
  return computing + sending + (stations.delay > 0 ? delay : 0);
}

Solution solution_of(const Stations& stations, int jobs, double delay, Reading reading) {
  const std::vector<Station> all = stations.all(jobs);
  if (reading != Reading::supersteps) return solve(all, jobs);
  Solution out;
  out.response = superstep_seconds(stations, jobs, delay);
  if (!(out.response > 0)) return solve(all, jobs);  // which refuses work that is none
  out.throughput = jobs / out.response;
  for (const Station& station : all) {
    out.utilisation.push_back(out.throughput * station.demand / station.servers);
    out.jobs.push_back(out.throughput * station.demand);
  }
  return out;
}

std::vector<int> cores_of(const std::vector<Station>& cpu) {
  std::vector<int> out;
  out.reserve(cpu.size());
  for (const Station& station : cpu)
    out.push_back(station.servers);
  return out;
}

/// Of one cycle: the work without a queue, and n cycles at the pace of the busiest station.
double least_response(const std::vector<Station>& stations, int jobs) {
  double work = 0;
  double busiest = 0;
  for (const Station& station : stations) {
    work += station.demand;
    busiest = std::max(busiest, station.demand / station.servers);
  }
  return std::max(work, jobs * busiest);
}

}  // namespace

Visits visits(const std::vector<int>& processes, double compute_share) {
  const double n = total_of(processes);
  Visits out;
  for (const int here : processes) {
    const double elsewhere = n - here;
    const double communication = here == 0 ? 0 : (1 - compute_share) * ((here - 1) / n + elsewhere / n);
    out.cpu.push_back(here / n * (compute_share + communication));
    out.net.push_back(2 * (here / n) * (elsewhere / n));
  }
  return out;
}

Prediction predict(const Placement& placement, const Workload& workload, const Constants& constants,
                   Reading reading) {
  require_input(placement, workload, constants);
  const int n = total_of(placement.processes);
  Stations stations = stations_of(placement, visits(placement.processes, workload.compute_share),
                                  services(n, workload, constants), workload.delay_seconds);
  const std::vector<int> cores = cores_of(stations.cpu);
  if (reading == Reading::fixed) make_servers_faster(stations);
  const Solution solution = solution_of(stations, n, workload.delay_seconds, reading);
  Prediction out;
  out.sends = workload.sends.sends(n);
  out.response = solution.response;
  out.seconds = out.response * out.sends;
  out.least_seconds = least_response(stations.all(n), n) * out.sends;
  for (std::size_t i = 0; i < placement.hosts.size(); ++i) {
    const std::size_t cpu = std::min(i, stations.cpu.size() - 1);  // the one of all, if they share it
    // A single fast server stands for as many cores as the host has processes.
    const int faster = reading == Reading::fixed ? std::min(stations.users[cpu], cores[cpu]) : cores[cpu];
    out.utilisation.push_back(solution.throughput * stations.cpu[cpu].demand / stations.cpu[cpu].servers *
                              faster / cores[cpu]);
    out.network_utilisation.push_back(solution.utilisation[stations.cpu.size() + i]);
    out.jobs.push_back(solution.jobs[cpu]);
  }
  return out;
}

std::vector<double> seconds_by_processes_each(const Placement& like, const Workload& workload,
                                              const Constants& constants, int most, Reading reading) {
  mathematics::require_count(most, "processes on a host");
  std::vector<double> out;
  Placement placement = like;
  for (int each = 1; each <= most; ++each) {
    placement.processes.assign(like.hosts.size(), each);
    out.push_back(predict(placement, workload, constants, reading).seconds);
  }
  return out;
}

int best_processes_each(const Placement& like, const Workload& workload, const Constants& constants, int most,
                        Reading reading) {
  const std::vector<double> seconds = seconds_by_processes_each(like, workload, constants, most, reading);
  return static_cast<int>(std::ranges::min_element(seconds) - seconds.begin()) + 1;
}

}  // namespace lbsp::model::queueing
