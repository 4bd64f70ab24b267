#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::benchmark {

/// What a careful program with plain sockets would do: one TCP connection to every other rank, without
/// Nagle's delay, and one poll loop that sends to all and receives from all at the same time.
class TcpMesh {
 public:
  /// Connects all ranks; `addresses` are their IPv4 addresses, and all listen at `port`. `congestion` is the
  /// kernel's name of a congestion control. Throws SystemError, also after 60 s without all of them.
  TcpMesh(Rank rank, const std::vector<std::string>& addresses, std::uint16_t port,
          const std::string& congestion);
  TcpMesh(const TcpMesh&) = delete;
  TcpMesh& operator=(const TcpMesh&) = delete;
  ~TcpMesh();

  /// Sends `message` to all others, and fills received[r] with the message of rank r, whose length is known.
  void exchange(std::span<const std::byte> message, std::vector<std::vector<std::byte>>& received);

 private:
  std::vector<int> sockets_;  ///< by rank, -1 for this one
};

}  // namespace lbsp::benchmark
