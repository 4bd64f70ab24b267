#include "lbsp/job/channel.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include "transport/error.hpp"
#include "transport/wire/secret_bytes.hpp"

namespace lbsp::job {
namespace {

/// By errno of a call that has failed; 0: the connection has ended.
[[noreturn]] void launcher_gone(int error) {
  if (error == EBADF || error == ENOTSOCK)
    throw Error(
        "the program has closed the connection to lbsp run: let it close only what it has opened itself");
  throw Error("the launcher is gone: start the job again");
}

bool is_socket(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

class InFrame {
 public:
  explicit InFrame(std::atomic<bool>& mark) : mark_(mark) {
    while (mark_.exchange(true))
      std::this_thread::sleep_for(std::chrono::seconds{1});  // the process dies meanwhile
  }
  InFrame(const InFrame&) = delete;
  InFrame& operator=(const InFrame&) = delete;
  ~InFrame() { mark_ = false; }

 private:
  std::atomic<bool>& mark_;
};

}  // namespace

bool Channel::is_inherited() {
  return std::getenv(control_variable) != nullptr;
}

std::optional<int> Channel::inherited() {
  const char* text = std::getenv(control_variable);
  if (text == nullptr) return std::nullopt;
  const std::string value = text;
  ::unsetenv(control_variable);
  int fd = -1;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), fd);
  if (problem != std::errc{} || end != value.data() + value.size() || fd < 0 || !is_socket(fd)) {
    throw UsageError(
        fmt::format("{}={} names no control connection: start the program by lbsp run, or unset it",
                    control_variable, value));
  }
  return fd;
}

Channel::Channel(int socket) : socket_(socket), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) throw SystemError(fmt::format("no event descriptor: {}", std::strerror(errno)));
  ::fcntl(socket_, F_SETFD, FD_CLOEXEC);
}

Channel::~Channel() {
  ::close(socket_);
  ::close(wake_);
}

void Channel::send(const Frame& frame) {
  const std::string bytes = encode(frame);
  const std::lock_guard lock(sending_);
  const InFrame in_frame(in_frame_);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      pollfd writable{socket_, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      launcher_gone(errno);
    }
  }
}

void Channel::send_last(std::string_view encoded) const noexcept {
  constexpr timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int most_tries = 1000;
  int tries = 0;
  for (; in_frame_.exchange(true); ++tries) {
    if (tries == most_tries) return;
    ::nanosleep(&pause, nullptr);
  }
  // The launcher may still have to read what was sent before.
  for (; !encoded.empty() && tries < most_tries; ++tries) {
    const ssize_t sent = ::send(socket_, encoded.data(), encoded.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      encoded.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      ::nanosleep(&pause, nullptr);
    } else if (errno != EINTR) {
      return;
    }
  }
}

std::optional<Frame> Channel::receive(Clock::time_point deadline) {
  for (;;) {
    if (auto frame = reader_.next()) return frame;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    constexpr decltype(left) longest_wait = 60'000;
    std::array<pollfd, 2> events{{{socket_, POLLIN, 0}, {wake_, POLLIN, 0}}};
    const int ready = ::poll(events.data(), events.size(), static_cast<int>(std::min(left, longest_wait)));
    if (ready <= 0) continue;
    if (events[1].revents != 0) return std::nullopt;
    std::array<char, 4096> bytes{};
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) {
      reader_.add({bytes.data(), static_cast<std::size_t>(got)});
      transport::wipe(bytes);
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      launcher_gone(got == 0 ? 0 : errno);
    }
  }
}

void Channel::stop_receiving() {
  stopped_.store(true);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
}

}  // namespace lbsp::job
