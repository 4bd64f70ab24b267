#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/udp/driving/udp_job.hpp"
#include "transport/udp/loop/correspondent.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::transport {

/// A port that several ranks of a host share (bind_for_ranks()), as one of them sees it. What another host sends to any
/// of them has the same addresses and ports, so a router, a network card or the system may join datagrams for several
/// ranks into one train. The system then looks at the first of them only, and gives that rank all. So a rank hands on
/// what is for another, over the loopback interface and as it came.
class SharedPort {
 public:
  /// Of a port that is not shared, nothing is handed on.
  SharedPort(const UdpPort& port, const UdpJob& job);

  /// Whether the datagram is for another rank of the port; then it waits for next().
  bool takes(std::span<const std::byte> datagram, const SocketAddress& from, Ecn ecn);
  /// Whether another rank has handed on what came from there: it does not show where its sender is.
  bool has_handed_on(const SocketAddress& from) const { return !neighbours_.empty() && from == loopback_; }
  /// The next to be handed on.
  std::optional<Correspondent::Outgoing> next(std::span<std::byte> buffer);

 private:
  struct Waiting {
    Rank to;
    Ecn ecn;
    Bytes datagram;
  };

  bool is_neighbour(Rank rank) const;

  std::vector<bool> neighbours_;  ///< by rank; empty if the port is not shared
  SocketAddress loopback_;        ///< the port's own
  std::deque<Waiting> waiting_;
};

}  // namespace lbsp::transport
