#pragma once

#include <span>
#include <vector>

namespace lbsp::model::queueing {

/// A station of a closed network of queues with one class of jobs.
struct Station {
  double demand = 0;  ///< D: seconds of service that a job needs here in one cycle, all its visits together
  int servers = 1;    ///< with j jobs present it serves min(j, servers) at once
};

struct Solution {
  double response = 0;              ///< R: seconds of one cycle
  double throughput = 0;            ///< X: cycles per second of all jobs
  std::vector<double> utilisation;  ///< by station: the part of its servers that is busy, X·D/servers
  std::vector<double> jobs;         ///< by station: mean number of jobs there
};

/// The exact solution for `jobs` jobs that circulate without pause, by convolution, whose sums and products are of
/// positive numbers only: the recursion over mean values for stations of several servers loses all digits at some 60
/// jobs. Takes stations · jobs² operations. Throws std::invalid_argument for no jobs, fewer than one server, a
/// negative demand, or no demand at all.
Solution solve(std::span<const Station> stations, int jobs);

}  // namespace lbsp::model::queueing
