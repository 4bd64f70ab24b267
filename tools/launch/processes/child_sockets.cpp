#include "tools/launch/processes/child_sockets.hpp"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "tools/uv/descriptors.hpp"

namespace lbsp::launch::processes {
namespace {

namespace fs = std::filesystem;

std::optional<int> number_in(const std::string& name) {
  int number = 0;
  const char* const last = name.data() + name.size();
  const auto [end, problem] = std::from_chars(name.data(), last, number);
  if (problem != std::errc{} || end != last) return std::nullopt;
  return number;
}

// glibc 2.36 declares pidfd_open and pidfd_getfd for C alone.
int open_process(int pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U));
}

int copy_of_descriptor(int process, int number) {
  return static_cast<int>(::syscall(SYS_pidfd_getfd, process, number, 0U));
}

bool is_tcp(int descriptor) {
  int protocol = 0;
  socklen_t size = sizeof protocol;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 && protocol == IPPROTO_TCP;
}

}  // namespace

void limit_unacknowledged_time(int pid, std::chrono::milliseconds limit) {
  const uv::Descriptor process(open_process(pid));
  if (process.get() < 0) return;
  const auto milliseconds = static_cast<unsigned>(limit.count());
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), ignored)) {
    const auto number = number_in(entry.path().filename());
    if (!number) continue;
    const uv::Descriptor theirs(copy_of_descriptor(process.get(), *number));
    if (theirs.get() >= 0 && is_tcp(theirs.get()))
      ::setsockopt(theirs.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
  }
}

}  // namespace lbsp::launch::processes
