#pragma once

#include "stream_mesh.hpp"

namespace lbsp::benchmark {

/// What a careful program with UDT would do: its stream sockets, with its own congestion control.
class UdtMesh : public StreamMesh {
 public:
  explicit UdtMesh(const Place& place);
};

}  // namespace lbsp::benchmark
