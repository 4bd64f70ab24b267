#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lbsp {

/// What becomes of a job when ranks are lost, or all of it.
struct Survival {
  bool outlives_ranks = false;  ///< it goes on after that; otherwise it ends
  bool respawns = false;        ///< new processes take the places of lost ones
  int hosts_at_once = 1;        ///< so many may be lost, and the states of all ranks are still there
  std::vector<std::uint16_t> hosts =
      {};                       ///< by rank in the first world: the number of its host; empty: all differ
  std::string checkpoint = {};  ///< the folder where states are kept on disk; empty: nowhere
  std::string restart = {};     ///< the folder with the states that the job begins with; empty: none
  std::string program = {};     ///< whose states these are; empty: this process's
  std::chrono::duration<double> host_mtbf =
      std::chrono::hours{1};             ///< the mean time between failures of one host
  std::function<double()> seconds = {};  ///< a clock for what saving costs; none: this machine's
};

}  // namespace lbsp
