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
  if (total > 1e9) throw std::invalid_argument(std::to_string(total) + " processes: give fewer");
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
    throw std::invalid_argument("a share of computing of " + std::to_string(workload.compute_share) +
                                ": give a fraction from 0 to 1");
  mathematics::require_not_negative(workload.startup_seconds, "a time to start a message");
  mathematics::require_not_negative(workload.byte_seconds, "a time of a byte");
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

/// Two stations for each host: its processors, and its interface.
std::vector<Station> stations_of(const Placement& placement, const Visits& visits, const Services& services,
                                 Reading reading) {
  std::vector<Station> out;
  for (std::size_t i = 0; i < placement.hosts.size(); ++i) {
    const Host& host = placement.hosts[i];
    Station cpu{visits.cpu[i] * services.cpu / host.speed, host.cores};
    if (reading == Reading::fixed) cpu = {cpu.demand / std::clamp(placement.processes[i], 1, host.cores), 1};
    out.push_back(cpu);
    out.push_back({visits.net[i] * services.net, 1});
  }
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
  const std::vector<Station> stations =
      stations_of(placement, visits(placement.processes, workload.compute_share),
                  services(n, workload, constants), reading);
  const Solution solution = solve(stations, n);
  Prediction out;
  out.sends = workload.sends.sends(n);
  out.response = solution.response;
  out.seconds = out.response * out.sends;
  out.least_seconds = least_response(stations, n) * out.sends;
  for (std::size_t i = 0; i < placement.hosts.size(); ++i) {
    const Station& cpu = stations[2 * i];
    // A single fast server stands for as many cores as the host has processes.
    const int cores = reading == Reading::fixed ? std::min(placement.processes[i], placement.hosts[i].cores)
                                                : placement.hosts[i].cores;
    out.utilisation.push_back(solution.throughput * cpu.demand / cpu.servers * cores /
                              placement.hosts[i].cores);
    out.network_utilisation.push_back(solution.utilisation[2 * i + 1]);
    out.jobs.push_back(solution.jobs[2 * i]);
  }
  return out;
}

int best_processes_each(const std::vector<Host>& hosts, const Workload& workload, const Constants& constants,
                        int most, Reading reading) {
  mathematics::require_count(most, "processes on a host");
  int best = 1;
  double least = 0;
  for (int each = 1; each <= most; ++each) {
    const double seconds =
        predict({hosts, std::vector<int>(hosts.size(), each)}, workload, constants, reading).seconds;
    if (each > 1 && seconds >= least) continue;
    best = each;
    least = seconds;
  }
  return best;
}

}  // namespace lbsp::model::queueing
