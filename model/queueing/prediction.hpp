#pragma once

#include <vector>

#include "model/queueing/network.hpp"
#include "model/queueing/profile.hpp"

namespace lbsp::model::queueing {

/// Processes of a message-passing program on hosts of several cores, as a closed network: each process circulates
/// between its host's processors and network interface. The paper is that of Saad et al.; docs/predictors.md has the
/// formulas.

struct Host {
  int cores = 1;
  double speed = 1;  ///< relative
};

/// Hosts, and how many processes each has.
struct Placement {
  std::vector<Host> hosts;
  std::vector<int> processes;  ///< by host
  int shared_cores =
      0;  ///< of the one machine of which all hosts are virtual ones; 0: each has its own cores
};

/// What is profiled of a program, and of the network.
struct Workload {
  double compute_share = 1;  ///< V_comp: of a process's time on one host; the rest, V_comm, it communicates
  MessageLaw messages;
  SendLaw sends;
  double startup_seconds = 0;  ///< t_s: of a message
  double byte_seconds = 0;     ///< t_w
  /// Until what was sent arrives, while the next may be sent: half of the round trip. The paper has none; nobody queues
  /// for it, and each cycle whose message leaves its host waits once.
  double delay_seconds = 0;
};

/// What is calibrated.
struct Constants {
  double cpu = 0;  ///< K_cpu: seconds of the whole program on one core of speed 1
  double net = 1;  ///< K_net: what the network takes, against what was probed
};

/// The paper's min(n, c), by which the cores of a host speed it up.
enum class Reading {
  load_dependent,  ///< n are the jobs that are at the processors: a station of c servers
  fixed,           ///< n are the processes of the host: one server that is faster, however few there are
  /// No queue: a cycle is a superstep, in which all compute, then all communicate, and the slowest host counts. Not the
  /// paper's, but what lbsp does. The visits and services are the same.
  supersteps,
};

/// How often a job visits the stations in one cycle (equations 8 and 9).
struct Visits {
  std::vector<double> cpu;  ///< by host
  std::vector<double> net;  ///< by host
};
Visits visits(const std::vector<int>& processes, double compute_share);

struct Prediction {
  double seconds = 0;                       ///< T = R s(n)
  double response = 0;                      ///< R: seconds of one cycle
  double sends = 0;                         ///< s(n)
  std::vector<double> utilisation;          ///< by host, of its cores
  std::vector<double> network_utilisation;  ///< by host, of its interface
  std::vector<double> jobs;  ///< by host: mean number of jobs at its processors, waiting ones included
  double least_seconds = 0;  ///< without queues, or at the busiest station's pace: T is not below
};

/// Throws std::invalid_argument for a placement without processes or of another number of hosts, a share outside
/// [0, 1], constants or speeds not above 0, and laws that give no messages or bytes for n.
Prediction predict(const Placement& placement, const Workload& workload, const Constants& constants,
                   Reading reading = Reading::load_dependent);

/// The seconds with 1, 2, … `most` processes on each host. Throws what predict() throws.
std::vector<double> seconds_by_processes_each(const Placement& like, const Workload& workload,
                                              const Constants& constants, int most,
                                              Reading reading = Reading::load_dependent);

/// The number of processes on each host, from 1 to `most`, for which the program is fastest: beyond it, more do not
/// pay. Of `like` only the hosts and shared cores count. Throws what predict() throws.
int best_processes_each(const Placement& like, const Workload& workload, const Constants& constants, int most,
                        Reading reading = Reading::load_dependent);

}  // namespace lbsp::model::queueing
