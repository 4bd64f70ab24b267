#include "tools/watch/job_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::watch {
namespace {

constexpr int waiting_connections = 8;

/// What is kept belongs to the folder that it is to stand in at the end: nobody else's `lbsp attach` looks there.
std::string name_of_kept() {
  return fmt::format("kept-{:x}", std::hash<std::string>{}(place_of_kept_jobs()));
}

std::string name_before_pid(Place place) {
  const std::string kind = place == Place::window ? "job" : place == Place::door ? "door" : name_of_kept();
  return fmt::format("lbsp-{}-{}-", kind, ::geteuid());
}

struct Address {
  sockaddr_un storage{};
  socklen_t length = 0;
};

/// In the abstract namespace a name begins with a zero byte, and needs none at its end.
Address address_of(pid_t launcher, Place place) {
  const std::string name = fmt::format("{}{}", name_before_pid(place), launcher);
  Address address;
  address.storage.sun_family = AF_UNIX;
  std::memcpy(address.storage.sun_path + 1, name.data(), name.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

const sockaddr* generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.storage);
}

}  // namespace

std::string place_of_kept_jobs() {
  const char* const temporary = std::getenv("TMPDIR");
  return temporary != nullptr && *temporary != 0 ? temporary : "/tmp";
}

int listen_as_job(pid_t launcher, Place place) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -1;
  const Address address = address_of(launcher, place);
  if (::bind(socket, generic(address), address.length) == 0 && ::listen(socket, waiting_connections) == 0)
    return socket;
  ::close(socket);
  return -1;
}

bool may_watch(int connection) {
  ucred other{};
  socklen_t length = sizeof other;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &length) != 0) return false;
  return other.uid == ::geteuid() || other.uid == 0;
}

std::optional<int> connect_to_job(pid_t launcher, Place place) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return std::nullopt;
  // One that is stopped takes no connection, and after some none can wait.
  constexpr timeval patience{.tv_sec = 5, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const Address address = address_of(launcher, place);
  const bool connected = ::connect(socket, generic(address), address.length) == 0;
  const int problem = connected ? 0 : errno;
  if (connected && may_watch(socket)) return socket;
  ::close(socket);
  if (problem == EAGAIN)
    throw UsageError(
        fmt::format("job {} takes no more connections: see whether its lbsp run is stopped", launcher));
  return std::nullopt;
}

std::vector<pid_t> jobs(Place place) {
  std::vector<pid_t> found;
  std::ifstream sockets("/proc/net/unix");
  const std::string before = fmt::format("@{}", name_before_pid(place));
  for (std::string line; std::getline(sockets, line);) {
    const std::size_t begin = line.find(before);
    if (begin == std::string::npos) continue;
    pid_t pid = 0;
    const auto [end, error] =
        std::from_chars(line.data() + begin + before.size(), line.data() + line.size(), pid);
    if (error == std::errc{} && end == line.data() + line.size()) found.push_back(pid);
  }
  std::ranges::sort(found);
  // A connection that is open has its listener's name too.
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace lbsp::watch
