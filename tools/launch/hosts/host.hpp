#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lbsp/job/frame.hpp"

namespace lbsp::launch::hosts {

/// What a host tells its launcher.
struct HostEvents {
  /// Something of a rank: its messages, its output, its end. Or that the host is there.
  std::function<void(job::Frame)> on_frame;
  /// Nothing of the host is left: no process, no connection. `problem` says why, if it was not asked to end.
  std::function<void(std::string problem)> on_gone;
};

/// Where ranks run: this machine, or one that an agent stands for. Both are driven by the same frames.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  virtual void send(const job::Frame& frame) = 0;

  /// While output waits here to be written, ranks that write much more have to wait.
  virtual void pause_output() = 0;
  virtual void resume_output() = 0;

  /// Lets go of the host in order; ranks that still run are killed. on_gone follows.
  virtual void finish() = 0;
  /// The same by force, for a host that does not answer.
  virtual void kill() = 0;

  /// Whether the process that begins with this rank is stopped, as SIGSTOP stops it.
  virtual bool stopped(int first_rank) const = 0;

  /// For a host that has not answered so far: what was said last on the way to it, which may be nothing.
  /// nullopt: it has answered.
  virtual std::optional<std::string> unanswered() const { return std::nullopt; }
};

}  // namespace lbsp::launch::hosts
