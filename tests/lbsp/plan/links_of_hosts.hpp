#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "transport/simulated/bottleneck.hpp"
#include "transport/simulated/simulation_config.hpp"

/// The links of a job's hosts in virtual time, each of which has its own.
namespace lbsp::plan {

/// Each rank has a host of its own, or so many share one, that sends through a link like this …
inline void give_uplinks(transport::SimulationConfig& config, const transport::BottleneckSpec& link,
                         Rank ranks_each = 1) {
  config.topology.hosts.assign(static_cast<std::size_t>(config.size / ranks_each), {.ranks = ranks_each});
  for (auto& host : config.topology.hosts)
    host.uplink = std::make_shared<transport::Bottleneck>(link);
}
/// … and receives through another one.
inline void give_links(transport::SimulationConfig& config, const transport::BottleneckSpec& link,
                       Rank ranks_each = 1) {
  give_uplinks(config, link, ranks_each);
  for (auto& host : config.topology.hosts)
    host.downlink = std::make_shared<transport::Bottleneck>(link);
}

/// A shaper, as the kernel's tbf is one.
inline transport::BottleneckSpec token_bucket(double megabits, std::uint64_t queue_bytes,
                                              std::uint64_t bucket_bytes) {
  return {.rate = transport::megabits_per_second(megabits),
          .queue_bytes = queue_bytes,
          .bucket_bytes = bucket_bytes,
          .exact = false};
}

/// Of what came to all these links, the part that was dropped.
inline double part_dropped(const transport::Topology& topology) {
  double dropped = 0;
  double carried = 0;
  for (const auto& host : topology.hosts) {
    for (const auto& link : {host.uplink, host.downlink}) {
      if (!link) continue;
      dropped += static_cast<double>(link->drops());
      carried += static_cast<double>(link->datagrams());
    }
  }
  return dropped / (dropped + carried);
}

}  // namespace lbsp::plan
