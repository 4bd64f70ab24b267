#pragma once

#include "stream_mesh.hpp"

namespace lbsp::benchmark {

/// What a careful program with SRT would do: its file transmission, which loses nothing, as a stream.
class SrtMesh : public StreamMesh {
 public:
  /// No connection sends more bytes per second than `ceiling`, which counts all headers; -1 leaves the rate
  /// to the congestion control alone.
  SrtMesh(const Place& place, std::int64_t ceiling);
};

}  // namespace lbsp::benchmark
