#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lbsp/job/frame.hpp"
#include "tools/launch/hosts/host.hpp"
#include "tools/launch/hosts/host_starts.hpp"
#include "tools/launch/hosts/local_host.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch::hosts {

/// The hosts of a job, by their places in the placement. Over MPI there is one, mpirun, that stands for all.
class JobHosts {
 public:
  struct Events {
    std::function<void(std::size_t host, const job::Frame& frame)> on_frame;
    std::function<void(std::size_t host, const std::string& problem)> on_gone;  ///< see HostEvents
  };

  /// All but the events must outlive it.
  JobHosts(uv::Loop& loop, const request::RunOptions& options, const places::Placement& placement,
           Events events)
      : loop_(loop), options_(options), placement_(placement), events_(std::move(events)), starts_(loop) {}

  /// `input`: how a rank on this machine gets its standard input.
  void start(LocalHost::Input input);

  /// The placement has a host more, the last one.
  void add() {
    gone_.push_back(false);
    hosts_.push_back(host_at(gone_.size() - 1, LocalHost::Input::frames));
  }

  void send(std::size_t host, const job::Frame& frame) { hosts_[host]->send(frame); }
  /// To all ranks.
  void signal(int number);
  /// See Host::stopped().
  bool stopped(std::size_t host, int first_rank) const { return hosts_[host]->stopped(first_rank); }
  /// See Host.
  void pause_output();
  void resume_output();
  /// See Host::unanswered().
  std::optional<std::string> unanswered(std::size_t host) const { return hosts_[host]->unanswered(); }
  /// What to say of one that is gone for that reason, and what to do.
  std::string why_unreachable(std::size_t host, const std::string& problem) const;

  /// Lets go of all hosts in order, …
  void finish();
  /// … or of one, …
  void finish(std::size_t host) {
    if (!gone_[host]) hosts_[host]->finish();
  }
  /// … by force, …
  void kill();
  /// … or of one.
  void kill(std::size_t host) { hosts_[host]->kill(); }
  bool all_gone() const;

 private:
  HostEvents events_of(std::size_t host);
  std::unique_ptr<Host> host_at(std::size_t host, LocalHost::Input input);

  uv::Loop& loop_;
  const request::RunOptions& options_;
  const places::Placement& placement_;
  Events events_;
  HostStarts starts_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<bool> gone_;
};

}  // namespace lbsp::launch::hosts
