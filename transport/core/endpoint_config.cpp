#include "transport/core/endpoint_config.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

std::ptrdiff_t ranks_on_own_host(const EndpointConfig& config) {
  const auto own = static_cast<std::size_t>(config.rank);
  if (own >= config.hosts.size()) return 1;
  return std::ranges::count(config.hosts, config.hosts[own]);
}

}  // namespace

bool is_near(const EndpointConfig& config, Rank other) {
  const auto own = static_cast<std::size_t>(config.rank);
  const auto place = static_cast<std::size_t>(other);
  return std::max(own, place) < config.hosts.size() && config.hosts[own] == config.hosts[place];
}

BytesPerSecond own_rate(const EndpointConfig& config) {
  return {config.options.rate.value / static_cast<double>(ranks_on_own_host(config))};
}

BytesPerSecond near_rate(const EndpointConfig& config) {
  return std::max(config.options.rate, within_host);
}

}  // namespace lbsp::transport
