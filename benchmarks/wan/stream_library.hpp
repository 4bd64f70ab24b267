#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <netinet/in.h>
#include <span>
#include <sys/socket.h>

namespace lbsp::benchmark {

/// A stream's, each way. Far above what a rate of 100 Mbit/s has on its way in 70 ms (0.9 MB), and more than
/// two messages of 1 MiB, all that one rank is ever ahead of another; within what the libraries allow on the
/// way unless told otherwise (UDT_FC 37 MB, SRTO_FC 25600 packets).
inline constexpr int stream_buffer_bytes = 4 << 20;
/// Of a packet with all headers.
inline constexpr int ethernet_bytes = 1500;

inline const sockaddr* general(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// As the libraries want it.
inline int length_of(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, 1 << 30));
}

/// What a connection waits for.
struct Interest {
  bool to_send = false;
  bool to_receive = false;

  bool any() const { return to_send || to_receive; }
  bool operator==(const Interest&) const = default;
};

/// The calls of UDT, and of SRT that stems from it: reliable streams over UDP, made by threads of the
/// library. All sockets of a mesh share one UDP port, and with it one sending and one receiving thread.
/// A refused call throws SystemError.
class StreamLibrary {
 public:
  virtual ~StreamLibrary() = default;

  /// Gives the library a UDP socket, at whose address all others will be, and listens there.
  virtual int listen_at(int udp_socket) = 0;
  /// A new connection from `own`, where this host listens; negative if the other did not answer within a few
  /// seconds, which it may not yet be there for.
  virtual int connect(const sockaddr_in& own, const sockaddr_in& other) = 0;
  /// Negative if nobody waits to be let in.
  virtual int accept(int listener) = 0;
  /// Never waits: what is still unsent is lost.
  virtual void close(int socket) = 0;

  /// How many bytes were taken now; 0 if it would have waited.
  virtual std::size_t send(int socket, std::span<const std::byte> bytes) = 0;
  virtual std::size_t receive(int socket, std::span<std::byte> bytes) = 0;
  /// Whether the other may still lack what was sent to it. No, if it has gone.
  virtual bool has_unsent(int socket) = 0;

  /// Changes what the socket waits for.
  virtual void watch(int socket, Interest now) = 0;
  /// Returns when a socket has what it waits for, at the latest after `most`.
  virtual void wait(std::chrono::milliseconds most) = 0;
};

}  // namespace lbsp::benchmark
