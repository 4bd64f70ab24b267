#include "stream_mesh.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/socket.h>
#include <thread>

#include "transport/error.hpp"

namespace lbsp::benchmark {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto patience = 60s;
constexpr auto glance = 10ms;

// As lbsp's own: Linux accounts 2300 bytes for a full datagram, so this holds some 3600.
constexpr int udp_buffer_bytes = 8 << 20;

int udp_socket_at(const sockaddr_in& own) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof(own)) != 0) {
    throw SystemError(std::string("no UDP socket at the rank's address: ") + std::strerror(errno) +
                      ": give each rank an address of its own host");
  }
  return fd;
}

/// After the library has set what it takes to be enough. Beyond the system's limit if the user may.
void enlarge_buffers(int fd) {
  for (const int option : {SO_RCVBUF, SO_SNDBUF, SO_RCVBUFFORCE, SO_SNDBUFFORCE}) {
    static_cast<void>(setsockopt(fd, SOL_SOCKET, option, &udp_buffer_bytes, sizeof(udp_buffer_bytes)));
  }
}

}  // namespace

StreamMesh::StreamMesh(std::unique_ptr<StreamLibrary> library, const Place& place)
    : library_(std::move(library)), connections_(place.size()) {
  const int udp_socket = udp_socket_at(place.address_of(place.self()));
  const int listener = library_->listen_at(udp_socket);
  enlarge_buffers(udp_socket);
  const Deadline deadline = steady_clock::now() + patience;
  connect_to_lower(place, deadline);
  accept_from_higher(listener, place, deadline);
  library_->close(listener);
}

void StreamMesh::connect_to_lower(const Place& place, Deadline deadline) {
  const sockaddr_in own = place.address_of(place.self());
  for (std::size_t peer = 0; peer < place.self(); ++peer) {
    int& socket = connections_[peer].socket;
    while ((socket = library_->connect(own, place.address_of(peer))) < 0) {
      if (steady_clock::now() > deadline) {
        throw SystemError("rank " + std::to_string(peer) + " did not answer in 60 s: see the host's network");
      }
    }
    const auto name = static_cast<std::byte>(place.self());
    if (library_->send(socket, {&name, 1}) != 1) {
      throw SystemError("a new connection takes no byte: this is a fault of its library");
    }
  }
}

void StreamMesh::accept_from_higher(int listener, const Place& place, Deadline deadline) {
  std::vector<int> nameless;
  for (std::size_t left = place.size() - place.self() - 1; left > 0;) {
    if (const int socket = library_->accept(listener); socket >= 0) nameless.push_back(socket);
    std::erase_if(nameless, [&](int socket) {
      const auto peer = name_of(socket);
      if (!peer) return false;
      if (*peer <= place.self() || *peer >= place.size() || connections_[*peer].socket >= 0) {
        throw SystemError("a stranger connected: give each job addresses of its own");
      }
      connections_[*peer].socket = socket;
      --left;
      return true;
    });
    if (left > 0 && steady_clock::now() > deadline) {
      throw SystemError("a rank did not connect in 60 s: see the host's network");
    }
    if (left > 0) std::this_thread::sleep_for(glance);
  }
  std::ranges::for_each(nameless, [&](int socket) { library_->close(socket); });
}

/// A connection counts when it has said who it is: one that its other end has given up never does.
std::optional<std::size_t> StreamMesh::name_of(int socket) try {
  std::byte name{};
  if (library_->receive(socket, {&name, 1}) == 0) return std::nullopt;
  return std::to_integer<std::size_t>(name);
} catch (const SystemError&) {
  return std::nullopt;
}

StreamMesh::~StreamMesh() {
  const auto deadline = steady_clock::now() + patience;
  const auto waits = [&](const Connection& connection) {
    return connection.socket >= 0 && library_->has_unsent(connection.socket);
  };
  while (std::ranges::any_of(connections_, waits) && steady_clock::now() < deadline)
    std::this_thread::sleep_for(glance);
  for (const Connection& connection : connections_) {
    if (connection.socket >= 0) library_->close(connection.socket);
  }
}

void StreamMesh::exchange(std::span<const std::byte> message, std::vector<std::vector<std::byte>>& received) {
  for (Connection& connection : connections_)
    connection.sent = connection.got = 0;
  while (true) {
    bool busy = false;
    for (std::size_t peer = 0; peer < connections_.size(); ++peer) {
      if (connections_[peer].socket >= 0 && move(peer, message, received[peer])) busy = true;
    }
    if (!busy) return;
    // The glance is a net below the library's events: all are looked at again, whatever came.
    library_->wait(glance);
  }
}

/// Moves what can be moved now; whether there is more.
bool StreamMesh::move(std::size_t peer, std::span<const std::byte> message, std::span<std::byte> received) {
  Connection& connection = connections_[peer];
  const auto push = [&] { return library_->send(connection.socket, message.subspan(connection.sent)); };
  const auto pull = [&] { return library_->receive(connection.socket, received.subspan(connection.got)); };
  for (std::size_t bytes = 1; bytes > 0 && connection.sent < message.size();)
    connection.sent += bytes = push();
  for (std::size_t bytes = 1; bytes > 0 && connection.got < received.size();)
    connection.got += bytes = pull();
  const Interest rest{connection.sent < message.size(), connection.got < received.size()};
  watch(peer, rest);
  return rest.any();
}

void StreamMesh::watch(std::size_t peer, Interest now) {
  Connection& connection = connections_[peer];
  if (now == connection.watched) return;
  library_->watch(connection.socket, now);
  connection.watched = now;
}

}  // namespace lbsp::benchmark
