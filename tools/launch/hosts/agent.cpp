#include "tools/launch/hosts/agent.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <termios.h>
#include <unistd.h>
#include <utility>

#include "tools/launch/hosts/host_watch.hpp"
#include "tools/launch/hosts/local_host.hpp"
#include "tools/uv/stream.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch::hosts {
namespace {

using job::Frame;
using job::FrameKind;

/// Output waiting for a slow connection: beyond the first the ranks have to wait, below the second they go
/// on.
constexpr std::size_t much_output = std::size_t{4} << 20;
constexpr std::size_t little_output = std::size_t{1} << 20;

class Agent {
 public:
  Agent()
      : in_(loop_, STDIN_FILENO),
        out_(loop_, STDOUT_FILENO),
        host_(loop_, LocalHost::Input::frames,
              {[this](const Frame& frame) { tell(frame); }, [this](const std::string&) { loop_.stop(); }}),
        alive_(loop_) {}

  void run() {
    tell({FrameKind::host_ready, 0, std::to_string(job::protocol_version)});
    keep_alive();
    in_.read([this](std::string_view bytes) { take(bytes); }, [this] { host_.finish(); });
    loop_.run();
  }

 private:
  void tell(const Frame& frame) {
    out_.write(encode(frame), [this](bool written) {
      if (!written) host_.finish();
      if (paused_ && out_.queued() < little_output) {
        paused_ = false;
        host_.resume_output();
      }
    });
    if (!paused_ && out_.queued() > much_output) {
      paused_ = true;
      host_.pause_output();
    }
  }

  void take(std::string_view bytes) {
    try {
      frames_.add(bytes);
      while (const auto frame = frames_.next()) {
        if (way_of(frame->kind) > job::Way::to_rank) job::throw_out_of_turn();
        host_.send(*frame);
      }
    } catch (const Error& error) {
      print_error(fmt::format("what began this agent is no launcher: {}", error.what()));
      in_.close();
    }
  }

  /// Also keeps the connection in use, so that the network's own time-out ends it, and with it the agent, after the
  /// launcher's machine has vanished.
  void keep_alive() {
    alive_.start(std::chrono::ceil<std::chrono::milliseconds>(alive_interval), [this] {
      tell({FrameKind::host_alive, 0, job::ranks_to_payload(host_.stopped_ranks())});
      keep_alive();
    });
  }

  uv::Loop loop_;
  uv::Stream in_;
  uv::Stream out_;
  LocalHost host_;
  uv::Timer alive_;
  job::FrameReader frames_;
  bool paused_ = false;
};

/// srun passes bytes on at once, and not line by line, only of a terminal that it makes for the output alone. Makes
/// that one pass them on as they are. Returns false for a terminal of anybody else.
bool pass_through_terminal() {
  termios settings{};
  if (std::getenv("SLURM_STEP_ID") == nullptr || ::isatty(STDIN_FILENO) != 0) return false;
  if (::tcgetattr(STDOUT_FILENO, &settings) != 0) return false;
  ::cfmakeraw(&settings);
  return ::tcsetattr(STDOUT_FILENO, TCSANOW, &settings) == 0;
}

}  // namespace

int run_agent() {
  const bool from_terminal = ::isatty(STDIN_FILENO) != 0;
  if (from_terminal || (::isatty(STDOUT_FILENO) != 0 && !pass_through_terminal())) {
    throw UsageError("an agent speaks to a launcher, not to a terminal: use lbsp run --hosts FILE");
  }
  ::signal(SIGPIPE, SIG_IGN);
  Agent().run();
  return 0;
}

}  // namespace lbsp::launch::hosts
