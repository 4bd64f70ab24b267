#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/launch/request/hosts_file.hpp"

namespace lbsp::launch::request {

/// The hosts that a batch system gave to the job in which lbsp was started.
struct Allocation {
  std::string name;  ///< for messages: "the Slurm job 17"
  std::vector<HostEntry>
      hosts;  ///< in the batch system's order, with a slot for each task that was asked for
  std::vector<std::string>
      agent;  ///< how a program is started on one of them, as by --launch-agent; empty: ssh

  /// Whether the only host is the one where lbsp runs already.
  bool is_this_machine() const;
};

/// The value of an environment variable, or a null pointer.
using Environment = std::function<const char*(const char* name)>;

/// What Slurm (SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE) or PBS (PBS_NODEFILE) says in the environment; nothing outside
/// their jobs. Throws UsageError if it cannot be understood.
std::optional<Allocation> allocation_in(const Environment& environment);

/// The hosts of Slurm's short form: "a[1-3,08],b" is a1, a2, a3, a08 and b. Throws UsageError if it is no such form, or
/// more hosts than a job may have ranks.
std::vector<std::string> expand_host_list(std::string_view list);

/// The numbers of Slurm's short form: "2(x3),1" is 2, 2, 2 and 1. Throws UsageError likewise.
std::vector<int> expand_counts(std::string_view list);

}  // namespace lbsp::launch::request
