#include "tools/launch/terminal/job_input.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "transport/process/thread_start.hpp"

namespace lbsp::launch::terminal {

struct JobInput::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> pieces;  ///< an empty one is the end
  std::size_t ahead = 0;           ///< bytes read that the rank has not taken
  bool stop = false;
  uv::Wake* wake = nullptr;  ///< gone with the JobInput, before this
};

namespace {

/// Standard input is a terminal that this process may read.
bool is_in_foreground() {
  return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

/// A terminal's end of input ends one read; only one that has been hung up has no more.
bool is_terminal_still() {
  if (::isatty(STDIN_FILENO) == 0) return false;
  pollfd state{STDIN_FILENO, POLLIN, 0};
  ::poll(&state, 1, 0);
  return (state.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}

/// Waits in the background, where a read of the terminal fails. False: there will be no more to read.
template <class Shared>
bool foreground_returns(Shared& shared) {
  constexpr std::chrono::milliseconds between_looks{100};
  std::unique_lock lock(shared.mutex);
  while (!is_in_foreground()) {
    if (shared.stop || !is_terminal_still()) return false;
    shared.changed.wait_for(lock, between_looks);
  }
  return !shared.stop;
}

template <class Shared>
void read_pieces(Shared& shared) {
  std::string buffer(std::size_t{64} << 10, '\0');
  bool had_terminal = is_in_foreground();
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EIO && had_terminal && foreground_returns(shared)) continue;
    had_terminal = had_terminal || is_in_foreground();
    const std::size_t bytes = got > 0 ? static_cast<std::size_t>(got) : 0;
    std::unique_lock lock(shared.mutex);
    if (shared.stop) return;
    shared.pieces.push_back(buffer.substr(0, bytes));
    shared.ahead += bytes;
    shared.wake->send();
    if (bytes == 0 && (got < 0 || !is_terminal_still())) return;
    shared.changed.wait(lock, [&] { return shared.stop || shared.ahead < JobInput::read_ahead; });
    if (shared.stop) return;
  }
}

}  // namespace

JobInput::JobInput(uv::Loop& loop, std::function<void(std::string)> give)
    : give_(std::move(give)), shared_(std::make_shared<Shared>()), wake_(loop, [this] { give_all(); }) {
  // In the background a terminal cannot be read: then it reads as ended, instead of stopping the launcher.
  ::signal(SIGTTIN, SIG_IGN);
  shared_->wake = &wake_;
  // Not joined: it may be in a read that never ends.
  transport::start_thread("the standard input", [shared = shared_] { read_pieces(*shared); }).detach();
}

JobInput::~JobInput() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stop = true;
  shared_->wake = nullptr;
  shared_->changed.notify_one();
}

void JobInput::taken(std::size_t bytes) {
  const std::lock_guard lock(shared_->mutex);
  shared_->ahead -= std::min(bytes, shared_->ahead);
  shared_->changed.notify_one();
}

void JobInput::give_all() {
  std::deque<std::string> pieces;
  {
    const std::lock_guard lock(shared_->mutex);
    pieces.swap(shared_->pieces);
  }
  for (std::string& piece : pieces)
    give_(std::move(piece));
}

}  // namespace lbsp::launch::terminal
