#include "transport/udp/driving/udp_job.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace lbsp::transport {

std::vector<std::uint16_t> hosts_of_ranks(const UdpJob& job) {
  std::vector<std::pair<std::string, std::string>> known;
  std::vector<std::uint16_t> hosts;
  for (const PeerAddress& address : job.addresses) {
    const std::pair host{address.name, address.host};
    const auto found = std::ranges::find(known, host);
    hosts.push_back(static_cast<std::uint16_t>(found - known.begin()));
    if (found == known.end()) known.push_back(host);
  }
  if (job.wan || known.size() < 2) hosts.clear();
  return hosts;
}

}  // namespace lbsp::transport
