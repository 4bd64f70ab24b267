#include "transport/udp/batches/host_refusals.hpp"

#include <algorithm>
#include <cerrno>

namespace lbsp::transport {
namespace {

/// EINVAL is what routes of the kind "blackhole" give.
bool of_firewall_or_route(int error) {
  constexpr int errors[] = {EPERM, EACCES, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EINVAL};
  return std::ranges::find(errors, error) != std::end(errors);
}

}  // namespace

void HostRefusals::refused(Rank to, int error) {
  if (!of_firewall_or_route(error)) return;
  const auto known = std::ranges::find(refused_, to, &Change::to);
  if (known != refused_.end() && known->error == error) return;
  if (known != refused_.end()) {
    known->error = error;
  } else {
    refused_.push_back({to, error});
  }
  changes_.push_back({to, error});
}

void HostRefusals::forget(Rank to) {
  if (std::erase_if(refused_, [&](const Change& change) { return change.to == to; }) > 0)
    changes_.push_back({to, 0});
}

}  // namespace lbsp::transport
