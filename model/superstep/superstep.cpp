#include "model/superstep/superstep.hpp"

#include <algorithm>
#include <cmath>

#include "model/mathematics/require.hpp"

namespace lbsp::model::superstep {

Messages messages_of(double per_rank, double bytes, const Datagrams& datagrams) {
  constexpr double most_segments = 1e9;
  const double room = datagrams.bytes - datagrams.overhead_bytes;
  mathematics::require_not_negative(per_rank, "a number of messages");
  mathematics::require_not_negative(bytes, "a message size");
  mathematics::require_positive(room, "a packet's room for payload");
  mathematics::require_positive(datagrams.bytes_per_second, "a bandwidth");
  const double segments = std::clamp(std::ceil(bytes / room), 1., most_segments);
  return {per_rank, static_cast<int>(segments),
          (bytes / segments + datagrams.overhead_bytes) / datagrams.bytes_per_second};
}

}  // namespace lbsp::model::superstep
