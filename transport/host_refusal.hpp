#pragma once

#include <string_view>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// A host itself refuses to send to some ranks, as its firewall or its routes say.
struct HostRefusal {
  std::vector<Rank> to;
  int error = 0;  ///< the system's, for the first of them

  friend bool operator==(const HostRefusal&, const HostRefusal&) = default;
};

/// What to look at where a host refuses to send. Firewalls give the first of these errors, and routes that forbid the
/// second.
std::string_view place_of_refusal(int error);

}  // namespace lbsp::transport
