#pragma once

#include "stream_mesh.hpp"

namespace lbsp::benchmark {

/// What a careful program with UDT would do: its stream sockets, with its own congestion control.
class UdtMesh : public StreamMesh {
 public:
  /// No connection sends more bytes per second than `ceiling`, which counts all headers; -1 leaves the rate
  /// to the congestion control alone.
  UdtMesh(const Place& place, std::int64_t ceiling);
};

}  // namespace lbsp::benchmark
