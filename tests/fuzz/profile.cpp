// Profiles of networks: what is read is written so that it reads back the same, and can be asked and
// replayed.
#include <numeric>
#include <vector>

#include "tests/fuzz/fuzzing.hpp"
#include "tools/profile/network_view.hpp"
#include "tools/profile/profile_file.hpp"
#include "tools/wan/network/replay.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lbsp;
  fuzz::read_or_refuse([&] {
    const auto profile = profile::from_json(fuzz::text_of(data, size), "profile");
    const std::string written = profile::to_json(profile);
    fuzz::require(profile::to_json(profile::from_json(written, "profile")) == written,
                  "a profile that is written reads back the same");
    const profile::NetworkView network(profile);
    std::vector<int> hosts(profile.hosts.size());
    std::iota(hosts.begin(), hosts.end(), 0);
    network.common_packet_sizes(hosts);
    if (hosts.size() > 1) network.between(hosts, 1472);
    wan::network::specs_of(profile);
  });
  return 0;
}
