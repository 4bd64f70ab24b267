#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "transport/simulated/simulation_config.hpp"

namespace lbsp::bench {

/// One way of a link whose queue holds as much as it carries in a round trip, and 64 KiB at least.
inline std::shared_ptr<transport::Bottleneck> product_link(double megabits, double round_trip_ms) {
  constexpr double least_queue_bytes = 64 << 10;
  const double product = megabits * 125 * round_trip_ms;
  return std::make_shared<transport::Bottleneck>(
      transport::BottleneckSpec{transport::megabits_per_second(megabits),
                                static_cast<std::uint64_t>(std::max(product, least_queue_bytes))});
}

}  // namespace lbsp::bench
