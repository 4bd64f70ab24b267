#pragma once

#include "stream_mesh.hpp"

namespace lbsp::benchmark {

/// What a careful program with SRT would do: its file transmission, which loses nothing, as a stream.
class SrtMesh : public StreamMesh {
 public:
  explicit SrtMesh(const Place& place);
};

}  // namespace lbsp::benchmark
