#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/lbsp/plan/planned_job.hpp"
#include "transport/simulated/bottleneck.hpp"

/// Links of 50 Mbit/s, and jobs whose ranks begin with that rate and have to find theirs.
namespace lbsp::plan {

inline constexpr double link_megabits = 50;
/// Of a message.
inline constexpr std::size_t found_rate_bytes = 500 << 10;

/// A queue of 42 ms.
inline std::shared_ptr<transport::Bottleneck> link_of_50_megabits() {
  return std::make_shared<transport::Bottleneck>(
      transport::BottleneckSpec{transport::megabits_per_second(link_megabits), std::uint64_t{256} << 10});
}

inline transport::SimulationConfig finding_job(Rank size, const std::string& wan, std::uint64_t seed = 1) {
  transport::SimulationConfig config = planned_job(size, wan);
  config.seed = seed;
  config.options.rate = transport::megabits_per_second(link_megabits);
  return config;
}

/// Of what came to the link since it had dropped `dropped` and carried `carried`.
inline double part_dropped(const transport::Bottleneck& link, std::uint64_t dropped = 0,
                           std::uint64_t carried = 0) {
  const auto lost = static_cast<double>(link.drops() - dropped);
  return lost / (lost + static_cast<double>(link.datagrams() - carried));
}

}  // namespace lbsp::plan
