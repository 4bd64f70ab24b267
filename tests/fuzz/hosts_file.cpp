// Hosts files: no word of one may become an option of ssh.
#include "tools/launch/request/hosts_file.hpp"

#include <algorithm>
#include <sstream>

#include "tests/fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lbsp;
  fuzz::read_or_refuse([&] {
    std::istringstream in{std::string(fuzz::text_of(data, size))};
    const auto hosts = launch::request::read_hosts(in, "hosts");
    fuzz::require(!hosts.empty(), "a hosts file names a host");
    for (const launch::request::HostEntry& host : hosts) {
      fuzz::require(!host.name.empty() && host.name.front() != '-', "a host's name is no option");
      fuzz::require(host.slots >= 1 && host.slots <= 65535, "slots are within their range");
    }
  });
  return 0;
}
