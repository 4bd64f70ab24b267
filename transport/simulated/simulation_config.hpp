#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/impairment/wan_spec.hpp"
#include "transport/peers/endpoint_config.hpp"
#include "transport/simulated/bottleneck.hpp"
#include "transport/simulated/fault_plan.hpp"

namespace lbsp::transport {

struct SimulationConfig {
  Rank size = 1;
  ExchangeOptions options;
  WanSpec wan;
  std::uint64_t seed = 1;
  Cipher cipher = fastest_cipher();
  PlannerFactory planner = {};  ///< empty: always options.copies
  /// By rank: what it is told instead of options.rate. Empty: nothing.
  std::vector<BytesPerSecond> rates = {};
  /// Of every rank's paths to the others, by rank; see EndpointConfig.
  std::vector<PathForecast> priors = {};
  /// By rank, what keeps its datagrams in mind; see EndpointConfig. Empty: nothing does.
  std::vector<std::shared_ptr<PathLog>> logs = {};
  FaultPlan faults = {};
  /// Who shares a host and its links. What `wan` says holds between hosts, beyond their uplinks.
  Topology topology = {};
  Instant beginning{std::chrono::seconds{1}};
};

}  // namespace lbsp::transport
