#pragma once

#include "model/tuning/setting.hpp"

namespace lbsp::model::tuning {

/// Operations per second of a node.
inline constexpr double flops = 1e10;

/// 100 Mbit/s and a round trip of 50 ms.
inline PacketPath path(double packet_bytes, double loss, bool fragmented = false) {
  return {.packet_bytes = packet_bytes,
          .bandwidth = 12.5e6,
          .fragmented = fragmented,
          .path = {.round_trip = 0.05, .loss = loss}};
}

}  // namespace lbsp::model::tuning
