#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "tests/lbsp/lasting_plan.hpp"
#include "tests/lbsp/lasting_processes.hpp"
#include "transport/lasting/lasting_endpoint.hpp"

namespace lbsp::lasting {

/// What a launcher does for a job that goes on: it starts the processes that come later, in the places of lost ones or
/// to join the others, and tells of ends.
class LastingLauncher {
 public:
  /// The arguments must outlive this. `config`: the job's key and cipher.
  LastingLauncher(const LastingPlan& plan, const transport::EndpointConfig& config,
                  LastingProcesses& processes)
      : plan_(plan), config_(config), processes_(processes), slanders_(plan.slanders) {}

  void look(Instant now);

 private:
  /// In the place of each slot's process that has died, or that somebody misses.
  void start_new_ones(Instant now);
  bool is_missed(const LastingProcess& process, Instant now) const;
  void start_who_joins(Instant now);
  void knock_for(LastingProcess& process, Instant now);
  void tell_of_ends(Instant now);
  void tell_of_end(const LastingProcess& process, Instant now);
  void tell_all(const transport::LossNotice& notice, Instant now);

  /// Of a process that has ended.
  struct Ended {
    Instant at;
    int tellings = 0;
  };

  const LastingPlan& plan_;
  const transport::EndpointConfig& config_;
  LastingProcesses& processes_;
  std::vector<LastingPlan::Slander> slanders_;  ///< which are still to come
  std::size_t joined_ = 0;                      ///< so many of LastingPlan::joins_at
  std::map<Slot, Instant> due_;                 ///< when a new one is
  std::map<const LastingProcess*, Ended> ended_;
};

}  // namespace lbsp::lasting
