#include "tools/launch/network/first_datagrams.hpp"

#include <algorithm>
#include <cstddef>

namespace lbsp::launch::network {
namespace {

/// As many bytes of UDP payload as an Ethernet carries in its jumbo frames …
constexpr std::size_t longest_found_datagram = 8972;
/// … and in its usual ones, as a pretended network does that names no MTU.
constexpr std::size_t usual_longest_datagram = 1472;

}  // namespace

void find_datagrams(request::RunOptions& options) {
  auto& exchange = options.exchange;
  exchange.find_datagram = exchange.recovery == transport::Recovery::receiver;
  if (exchange.find_datagram && !options.datagram_given)
    exchange.datagram_bytes = options.wan ? usual_longest_datagram : longest_found_datagram;
}

void limit_datagrams(request::RunOptions& options, const KnownNetwork* known) {
  if (known == nullptr) return;
  auto& bytes = options.exchange.datagram_bytes;
  bytes = std::min(bytes, known->largest_datagram().value_or(bytes));
}

}  // namespace lbsp::launch::network
