#pragma once

#include "model/superstep/protocol.hpp"

namespace lbsp::model::superstep {

/// A protocol of the kind that lbsp runs.
inline Protocol known_protocol() {
  return Protocol({.block_segments = 128, .repair_segments = 128, .copies = 16},
                  {.datagram = 74, .message = 32, .record = 48});
}

}  // namespace lbsp::model::superstep
