#pragma once

#include "mesh.hpp"

namespace lbsp::benchmark {

/// What a careful program with plain sockets would do: one TCP connection to every other rank, without
/// Nagle's delay, and one poll loop that sends to all and receives from all at the same time.
class TcpMesh : public Mesh {
 public:
  /// Connects all ranks. `congestion` is the kernel's name of a congestion control. Throws SystemError, also
  /// after 60 s without all of them.
  TcpMesh(const Place& place, const std::string& congestion);
  TcpMesh(const TcpMesh&) = delete;
  TcpMesh& operator=(const TcpMesh&) = delete;
  ~TcpMesh() override;

  void exchange(std::span<const std::byte> message, std::vector<std::vector<std::byte>>& received) override;

 private:
  std::vector<int> sockets_;  ///< by rank, -1 for this one
};

}  // namespace lbsp::benchmark
