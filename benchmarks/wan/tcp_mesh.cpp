#include "tcp_mesh.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::benchmark {
namespace {

constexpr std::chrono::seconds patience{60};

[[noreturn]] void fail(const std::string& what) {
  throw SystemError("TCP: " + what + ": " + std::strerror(errno) + ": see the host's network");
}

int make_socket(const std::string& congestion) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("no socket");
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion.data(),
                 static_cast<socklen_t>(congestion.size())) != 0) {
    fail("congestion control " + congestion);
  }
  return fd;
}

int connect_to(const sockaddr_in& address, const std::string& congestion) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    const int fd = make_socket(congestion);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return fd;
    close(fd);
    if (std::chrono::steady_clock::now() > deadline) fail("connect");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the other may not listen yet
  }
}

int accept_from(int listener) {
  pollfd waiting{listener, POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(patience).count())) != 1) {
    throw SystemError("TCP: a rank did not connect in 60 s: see the host's network");
  }
  const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) fail("accept");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

/// What send() or recv() moved now, 0 if it would have waited.
std::size_t moved(ssize_t result, const char* what) {
  if (result > 0) return static_cast<std::size_t>(result);
  if (result < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (result == 0) errno = ECONNRESET;
  fail(what);
}

}  // namespace

TcpMesh::TcpMesh(const Place& place, const std::string& congestion) : sockets_(place.size(), -1) {
  const std::size_t self = place.self();
  const int listener = make_socket(congestion);
  const sockaddr_in own = place.address_of(self);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&own), sizeof(own)) != 0) fail("bind");
  if (listen(listener, 64) != 0) fail("listen");
  for (std::size_t peer = 0; peer < self; ++peer) {
    sockets_[peer] = connect_to(place.address_of(peer), congestion);
    const auto name = static_cast<unsigned char>(self);
    if (send(sockets_[peer], &name, 1, MSG_NOSIGNAL) != 1) fail("send");
  }
  for (std::size_t left = place.size() - self - 1; left > 0; --left) {
    const int fd = accept_from(listener);
    unsigned char name = 0;
    if (recv(fd, &name, 1, 0) != 1 || name <= self || name >= sockets_.size()) fail("a stranger connected");
    sockets_[name] = fd;
  }
  close(listener);
}

TcpMesh::~TcpMesh() {
  for (const int fd : sockets_) {
    if (fd >= 0) close(fd);
  }
}

void TcpMesh::exchange(std::span<const std::byte> message, std::vector<std::vector<std::byte>>& received) {
  const std::size_t count = sockets_.size();
  std::vector<std::size_t> sent(count, 0), got(count, 0);
  std::vector<pollfd> polled(count);
  while (true) {
    bool busy = false;
    for (std::size_t peer = 0; peer < count; ++peer) {
      polled[peer] = {sockets_[peer], 0, 0};
      if (sockets_[peer] < 0) continue;
      if (sent[peer] < message.size()) polled[peer].events |= POLLOUT;
      if (got[peer] < received[peer].size()) polled[peer].events |= POLLIN;
      if (polled[peer].events == 0) polled[peer].fd = -1;
      busy = busy || polled[peer].events != 0;
    }
    if (!busy) return;
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) fail("poll");
    for (std::size_t peer = 0; peer < count; ++peer) {
      const int fd = polled[peer].fd;
      if (fd < 0) continue;
      const short ready = polled[peer].revents;
      const bool broken = (ready & (POLLERR | POLLHUP)) != 0;
      if ((polled[peer].events & POLLOUT) != 0 && ((ready & POLLOUT) != 0 || broken)) {
        const auto rest = message.subspan(sent[peer]);
        sent[peer] += moved(send(fd, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL), "send");
      }
      if ((polled[peer].events & POLLIN) != 0 && ((ready & POLLIN) != 0 || broken)) {
        const auto rest = std::span(received[peer]).subspan(got[peer]);
        got[peer] += moved(recv(fd, rest.data(), rest.size(), MSG_DONTWAIT), "receive");
      }
    }
  }
}

}  // namespace lbsp::benchmark
