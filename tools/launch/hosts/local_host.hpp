#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "tools/launch/hosts/host.hpp"
#include "tools/launch/processes/host_memory.hpp"
#include "tools/launch/processes/host_port.hpp"
#include "tools/launch/processes/rank_process.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch::hosts {

/// Runs ranks on this machine: for the launcher itself, and in an agent.
class LocalHost final : public Host {
 public:
  enum class Input : std::uint8_t {
    own,     ///< a rank that wants input inherits this process's standard input
    frames,  ///< it comes in input frames
  };

  LocalHost(uv::Loop& loop, Input input, HostEvents events);

  void send(const job::Frame& frame) override;
  void pause_output() override;
  void resume_output() override;
  void finish() override;
  void kill() override { signal(SIGKILL); }
  bool stopped(int first_rank) const override;
  /// The first ranks of its processes that are stopped.
  std::vector<int> stopped_ranks() const;

  /// Of the process that holds this rank, if it was started.
  std::optional<int> pid_of(int rank) const;

 private:
  void spawn(const job::Spawn& spawn);
  void signal(int number);
  void tell(job::Frame frame);
  bool all_ended() const;
  /// A job that goes on without lost ranks may have very many processes, one after the other.
  void forget_ended();
  processes::RankProcess* process_of(int rank) const;

  uv::Loop& loop_;
  Input input_;
  HostEvents events_;
  processes::HostMemory memory_;
  processes::HostPort port_;
  std::vector<std::unique_ptr<processes::RankProcess>> processes_;
  uv::Timer forget_;  ///< what has ended: not from within its last words
  uv::Timer gone_;    ///< on_gone comes from the loop, never from within finish()
  bool finishing_ = false;
  bool paused_ = false;
};

}  // namespace lbsp::launch::hosts
