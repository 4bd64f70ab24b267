#include "transport/peers/endpoint_config.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

std::uint16_t host_of(const EndpointConfig& config, Rank rank) {
  return config.hosts[static_cast<std::size_t>(rank)];
}

}  // namespace

bool are_on_one_host(const EndpointConfig& config, Rank one, Rank other) {
  return !config.hosts.empty() && host_of(config, one) == host_of(config, other);
}

bool is_near(const EndpointConfig& config, Rank other) {
  return are_on_one_host(config, config.rank, other);
}

Rank ranks_on_own_host(const EndpointConfig& config) {
  if (config.hosts.empty()) return 1;
  return static_cast<Rank>(std::ranges::count(config.hosts, host_of(config, config.rank)));
}

Rank seat_on_own_host(const EndpointConfig& config) {
  if (config.hosts.empty()) return 0;
  return static_cast<Rank>(
      std::count(config.hosts.begin(), config.hosts.begin() + config.rank, host_of(config, config.rank)));
}

BytesPerSecond own_rate(const EndpointConfig& config) {
  return {config.options.rate.value / static_cast<double>(ranks_on_own_host(config))};
}

BytesPerSecond near_rate(const EndpointConfig& config) {
  return std::max(config.options.rate, within_host);
}

}  // namespace lbsp::transport
