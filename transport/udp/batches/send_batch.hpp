#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "transport/ecn.hpp"
#include "transport/impairment/datagram_pool.hpp"
#include "transport/udp/batches/ecn_option.hpp"
#include "transport/udp/batches/host_refusals.hpp"
#include "transport/udp/sockets/socket_address.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Datagrams that leave in one system call. Those that may share a train and go to the same place are handed to the
/// system in one piece, which it or the network card cuts up (UDP_SEGMENT of udp(7)): one passage through the system
/// instead of one for each.
class SendBatch {
 public:
  /// Beyond some 16 a larger batch gains nothing measurable; with trains it does.
  static constexpr std::size_t most_datagrams = 64;
  static constexpr std::size_t longest_train = 44;

  /// `ecn`: datagrams may say in their IP headers that routers may mark them, or that they are marked, if the system
  /// lets them.
  SendBatch(int socket, DatagramPool& pool, bool ecn = false);

  bool empty() const { return first_ == end_; }
  bool full() const { return end_ == most_datagrams; }

  /// Takes the slot over, and copies the address. `to` is the caller's number for it. `in_train`: it may be lost
  /// together with others of the same length. The batch must not be full.
  void add(Rank to, const SocketAddress& address, DatagramPool::Slot slot, std::size_t bytes, bool in_train,
           Ecn ecn = Ecn::none);

  /// Sends all of it; false if the socket's buffer is full, and the rest is kept. What the system refuses for
  /// another reason (no buffers, no route, too long for the interface) is counted and dropped, as the network
  /// might have: the protocol repairs it. A train that it refuses goes in single datagrams. Throws SystemError if
  /// the socket itself is unusable.
  bool flush();

  std::uint64_t refused() const { return refused_; }
  /// Datagrams that have gone in trains.
  std::uint64_t in_trains() const { return in_trains_; }

  /// Datagrams that were refused as too long for the interface (EMSGSIZE) since this was asked last.
  struct TooLong {
    Rank to;
    std::size_t bytes;
  };
  std::vector<TooLong> take_too_long() { return std::exchange(too_long_, {}); }
  /// Where this host refuses to send, and where it does no more, since this was asked last.
  std::vector<HostRefusals::Change> take_host_refusals() { return host_refusals_.take_changes(); }

 private:
  struct Entry {
    Rank to;
    DatagramPool::Slot slot;
    std::size_t bytes;
    bool in_train;
    Ecn ecn;
    SocketAddress address;
  };
  /// What the system is told of a message besides: how long its datagrams are, and how they are marked.
  struct Control {
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t)) + ecn_control_bytes> bytes;
  };

  void order();
  std::size_t gather();
  std::size_t length_of_train(std::size_t first) const;
  void describe(mmsghdr& header, Control& control, std::size_t first, std::size_t count);
  int hand_over(std::size_t count);
  void take_refusal(int error);
  void drop_first();
  const Entry& at(std::size_t place) const { return entries_[order_[place]]; }
  void refuse_trains(Rank to);
  bool refuses_trains(Rank to) const;
  void give_up_ecn();

  int socket_;
  DatagramPool& pool_;
  std::array<Entry, most_datagrams> entries_{};
  std::array<std::uint8_t, most_datagrams> order_{};  ///< in which they go
  std::size_t first_ = 0;                             ///< place in the order; those before it are gone
  std::size_t end_ = 0;
  std::size_t alone_until_ = 0;  ///< those before this place go in no train

  std::array<mmsghdr, most_datagrams> headers_{};
  std::array<iovec, most_datagrams> pieces_{};
  std::array<Control, most_datagrams> controls_{};

  bool ecn_;  ///< unless they say something else, datagrams say that they may be marked
  std::vector<bool> refuses_trains_;  ///< by destination
  std::optional<Rank> doubted_;       ///< whose train was refused, while none of its datagrams has gone alone
  std::uint64_t refused_ = 0;
  std::uint64_t in_trains_ = 0;
  std::vector<TooLong> too_long_;
  HostRefusals host_refusals_;
};

}  // namespace lbsp::transport
