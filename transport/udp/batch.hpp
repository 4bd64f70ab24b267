#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <netinet/in.h>
#include <span>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "transport/impairment/datagram_pool.hpp"
#include "transport/udp/socket_address.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Datagrams per system call. Beyond some 16 a larger batch gains nothing measurable.
inline constexpr std::size_t batch_datagrams = 64;

/// Datagrams that leave in one sendmmsg.
class SendBatch {
 public:
  SendBatch(int socket, DatagramPool& pool);

  bool empty() const { return first_ == end_; }
  bool full() const { return end_ == batch_datagrams; }

  /// Takes the slot over, and copies the address. `to` is the caller's number for it. The batch must not be
  /// full.
  void add(Rank to, const SocketAddress& address, DatagramPool::Slot slot, std::size_t bytes);

  /// Sends all of it; false if the socket's buffer is full, and the rest is kept. What the system refuses for
  /// another reason (no buffers, no route, too long for the interface) is counted and dropped, as the network
  /// might have: the protocol repairs it. Throws SystemError if the socket itself is unusable.
  bool flush();

  std::uint64_t refused() const { return refused_; }

  /// Datagrams that were refused as too long for the interface (EMSGSIZE) since this was asked last.
  struct TooLong {
    Rank to;
    std::size_t bytes;
  };
  std::vector<TooLong> take_too_long() { return std::exchange(too_long_, {}); }

 private:
  void drop_first();

  int socket_;
  DatagramPool& pool_;
  std::array<mmsghdr, batch_datagrams> messages_{};
  std::array<iovec, batch_datagrams> pieces_{};
  std::array<DatagramPool::Slot, batch_datagrams> slots_{};
  std::array<Rank, batch_datagrams> destinations_{};
  std::array<SocketAddress, batch_datagrams> addresses_{};
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  std::uint64_t refused_ = 0;
  std::vector<TooLong> too_long_;
};

/// Datagrams that came in one recvmmsg.
class ReceiveBatch {
 public:
  /// Longer datagrams than `datagram_bytes` are cut off, which their seal shows.
  /// Where they come from is asked of the system only if it is wanted.
  enum class Sources : bool { dropped, kept };
  ReceiveBatch(int socket, std::size_t datagram_bytes, Sources sources = Sources::dropped);

  /// Takes what waits, up to batch_datagrams, and never blocks. Throws SystemError if the socket is unusable.
  std::size_t receive();

  std::span<std::byte> operator[](std::size_t index) {
    return {static_cast<std::byte*>(pieces_[index].iov_base), messages_[index].msg_len};
  }

  /// Datagrams that have found the socket's buffer full, since the socket was made.
  std::uint64_t overflowed() const { return overflowed_; }

  /// Empty unless sources are kept.
  const SocketAddress& source(std::size_t index) {
    sources_[index].length = messages_[index].msg_hdr.msg_namelen;
    return sources_[index];
  }

 private:
  /// What the system says of a datagram besides: how many were dropped before it.
  struct Control {
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(std::uint32_t))> bytes;
  };

  void count_overflowed(msghdr& newest);

  int socket_;
  std::unique_ptr<std::byte[]> buffer_;
  Sources kept_;
  std::array<SocketAddress, batch_datagrams> sources_{};
  std::array<mmsghdr, batch_datagrams> messages_{};
  std::array<iovec, batch_datagrams> pieces_{};
  std::array<Control, batch_datagrams> controls_{};
  std::uint64_t overflowed_ = 0;
};

}  // namespace lbsp::transport
