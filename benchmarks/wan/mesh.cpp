#include "mesh.hpp"

#include <arpa/inet.h>

#include "transport/error.hpp"

namespace lbsp::benchmark {

sockaddr_in Place::address_of(std::size_t which) const {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, addresses[which].c_str(), &address.sin_addr) != 1) {
    throw UsageError("address " + addresses[which] + ": give IPv4 addresses, separated by commas");
  }
  return address;
}

}  // namespace lbsp::benchmark
