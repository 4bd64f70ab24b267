#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <netinet/in.h>
#include <span>
#include <sys/socket.h>
#include <time.h>
#include <vector>

#include "transport/ecn.hpp"
#include "transport/udp/batches/ecn_option.hpp"
#include "transport/udp/sockets/socket_address.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Datagrams that came in one recvmmsg. Where they come one at a time, it asks for one at a time.
class ReceiveBatch {
 public:
  struct Settings {
    /// Longer datagrams are cut off, which their seal shows.
    std::size_t datagram_bytes;
    /// Where they come from is asked of the system only if it is wanted.
    bool sources = false;
    /// Datagrams of one sender may come in one piece (UDP_GRO of udp(7)), where the system can do that. It cannot
    /// where several sockets share a port, as it joins what is for different ones.
    bool trains = false;
    /// What IP headers say of congestion is asked of the system, too, where it can tell.
    bool ecn = false;
    /// How long they have waited is asked of the system, too (SO_TIMESTAMPNS of socket(7)).
    bool times = false;
  };
  ReceiveBatch(int socket, const Settings& settings);

  /// Takes what waits, and never blocks. Returns the number of datagrams. Throws SystemError if the socket is
  /// unusable.
  std::size_t receive();
  /// Whether the last call has left something, as far as can be told without another one.
  bool may_have_more() const { return came_ == headers_.size(); }

  std::span<std::byte> operator[](std::size_t index) const { return datagrams_[index].bytes; }
  /// Empty unless sources are kept.
  const SocketAddress& source(std::size_t index) const { return sources_[datagrams_[index].message]; }

  /// Unknown if it was not asked for, or the system does not tell.
  Ecn ecn(std::size_t index) const { return datagrams_[index].ecn; }
  /// From when the system took it from the network until receive() returned; a second at most. 0 if it was not asked
  /// for, or the system does not tell.
  Duration waited(std::size_t index) const { return datagrams_[index].waited; }

  /// Datagrams that have found the socket's buffer full, since the socket was made.
  std::uint64_t overflowed() const { return overflowed_; }

 private:
  struct Datagram {
    std::span<std::byte> bytes;
    std::size_t message;
    Ecn ecn;
    Duration waited;
  };
  /// What the system says of a message besides: how many were dropped before it, how long its datagrams are, how
  /// they were marked, and when they came.
  struct Control {
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(std::uint32_t)) + CMSG_SPACE(sizeof(int)) +
                                               ecn_control_bytes + CMSG_SPACE(sizeof(timespec))> bytes;
  };

  void make_room(std::size_t message);
  void cut_up(std::size_t message, Duration read_at);

  int socket_;
  Settings settings_;
  std::size_t room_;  ///< for a message
  std::unique_ptr<std::byte[]> buffer_;
  std::vector<SocketAddress> sources_;
  std::vector<mmsghdr> headers_;
  std::vector<iovec> pieces_;
  std::vector<Control> controls_;
  std::vector<Datagram> datagrams_;
  std::size_t came_ = 0;
  unsigned alone_ = 0;  ///< messages that came alone, one after the other
  std::uint64_t overflowed_ = 0;
};

}  // namespace lbsp::transport
