#include "tools/check/worker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "tools/check/door.hpp"
#include "tools/check/worker_protocol.hpp"
#include "transport/error.hpp"

namespace lbsp::check {
namespace {

using Clock = Door::Clock;

void tell(const std::string& line) {
  std::cout << line << std::flush;
}

/// Why the program cannot be run here; empty: it can.
std::string program_problem(const std::string& program) {
  if (program.empty()) return {};
  if (std::filesystem::is_directory(program)) return "it is a directory";
  return ::access(program.c_str(), X_OK) == 0 ? std::string() : std::strerror(errno);
}

class Worker {
 public:
  /// Returns when standard input has ended.
  void run() {
    while (wait()) {
      const auto now = Clock::now();
      if (!door_) continue;
      door_->receive();
      if (door_->send_due(now)) tell(to_line(Answer(Knocked{})));
    }
  }

 private:
  bool wait() {
    std::array<pollfd, 2> descriptors{
        {{STDIN_FILENO, POLLIN, 0}, {door_ ? door_->descriptor() : -1, POLLIN, 0}}};
    int milliseconds = -1;
    if (const auto due = door_ ? door_->due() : std::nullopt) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - Clock::now());
      milliseconds = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    if (::poll(descriptors.data(), descriptors.size(), milliseconds) < 0) return errno == EINTR;
    return descriptors[0].revents == 0 || read_input();
  }

  bool read_input() {
    std::array<char, 65536> piece;
    const auto got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0) return errno == EINTR;
    if (got == 0) return false;
    input_.append(piece.data(), static_cast<std::size_t>(got));
    for (auto end = input_.find('\n'); end != std::string::npos; end = input_.find('\n')) {
      take(input_.substr(0, end));
      input_.erase(0, end + 1);
    }
    return true;
  }

  void take(const std::string& line) {
    if (!set_up_) return set_up(read_setup(line));
    const Order order = read_order(line);
    if (std::holds_alternative<TellTime>(order)) {
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      tell(to_line(Answer(Time{std::chrono::nanoseconds(now).count()})));
    } else if (std::holds_alternative<TellHeard>(order)) {
      tell(to_line(Answer(door_ ? door_->heard() : AllHeard{})));
    } else if (door_) {
      door_->knock_at(std::get<KnockAt>(order).hosts, Clock::now());
    } else {
      tell(to_line(Answer(Knocked{})));
    }
  }

  void set_up(const Setup& setup) {
    set_up_ = true;
    Ready ready;
    ready.program_problem = program_problem(setup.program);
    try {
      auto port = transport::UdpPort::bind(setup.bind_address, setup.port);
      ready.port = port.port();
      ready.buffer_bytes = port.receive_buffer_bytes();
      door_.emplace(std::move(port), setup);
    } catch (const Error& error) {
      ready.port_problem = error.what();
    }
    tell(to_line(ready));
  }

  bool set_up_ = false;
  std::string input_;
  std::optional<Door> door_;
};

}  // namespace

int run_worker() {
  if (::isatty(STDIN_FILENO) != 0)
    throw UsageError("--worker speaks to another lbsp: use lbsp hosts check FILE");
  Worker().run();
  return 0;
}

}  // namespace lbsp::check
