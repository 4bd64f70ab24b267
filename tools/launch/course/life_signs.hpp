#pragma once

#include <cstddef>
#include <functional>

#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/hosts/host_watch.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch::course {

/// Ends a job when nobody is left who could notice that it does not go on.
class LifeSigns {
 public:
  /// All must outlive it. `on_losses`: ranks have been lost, of a job that goes on.
  LifeSigns(uv::Loop& loop, Job& job, Ending& ending, std::function<void()> on_losses);

  /// The job runs.
  void begin() { watch(); }
  /// The job has a host more.
  void add_host() { watch_.add(); }
  void heard(std::size_t host) { watch_.heard(host); }

 private:
  void watch();
  hosts::HostWatch::Ranks what_ranks_do() const;
  void give_up_the_stopped();
  void end_if_only_lost_hosts_are_left();

  Job& job_;
  Ending& ending_;
  std::function<void()> on_losses_;
  hosts::HostWatch watch_;
  uv::Timer timer_;
};

}  // namespace lbsp::launch::course
