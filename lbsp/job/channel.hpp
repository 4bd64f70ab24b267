#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>

#include "lbsp/job/frame.hpp"

namespace lbsp::job {

/// Names the inherited descriptor of the control connection to a rank.
inline constexpr const char* control_variable = "LBSP_CONTROL_FD";

/// The rank's end of its control connection, a socket inherited from whoever started it. Any thread may send;
/// one thread receives.
class Channel {
 public:
  using Clock = std::chrono::steady_clock;

  /// Takes the socket over, and keeps it from this process's children.
  explicit Channel(int socket);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  /// The connection this process was started with, named by LBSP_CONTROL_FD; none without a launcher. Takes
  /// the variable out of the environment, so only the first call in a process gets it. Throws UsageError if
  /// the variable names no socket.
  static std::optional<int> inherited();
  /// Whether there is one to take.
  static bool is_inherited();

  /// Blocks while the launcher does not read. Throws Error if it is gone.
  void send(const Frame& frame);
  /// Sends an encoded frame, if it can, as the last one: what others send from here on waits for ever. For a signal
  /// handler of a process that is about to die: waits up to a second for a frame that is being sent, and for the
  /// launcher to read.
  void send_last(std::string_view encoded) const noexcept;

  /// The next frame; nothing at the deadline. Throws Error if the launcher is gone.
  std::optional<Frame> receive(Clock::time_point deadline);

  /// Ends every receive() from now on, in any thread, with nothing. What is sent still arrives.
  void stop_receiving();
  bool stopped() const noexcept { return stopped_.load(); }

 private:
  int socket_;
  int wake_;
  std::atomic<bool> stopped_ = false;
  std::mutex sending_;
  /// What a signal handler can wait for, as it cannot for a mutex.
  mutable std::atomic<bool> in_frame_ = false;
  FrameReader reader_;
};

}  // namespace lbsp::job
