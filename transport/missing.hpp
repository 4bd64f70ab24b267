#pragma once

#include <cstdint>
#include <vector>

#include "transport/host_refusal.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a rank tells outside of the job while the members agree anew. Ranks are of the job's start.
struct Missing {
  std::uint32_t epoch = 0;  ///< in which it misses them
  std::vector<Rank> ranks = {};
  HostRefusal refusal = {};  ///< of its own host, which may be why others miss it

  friend bool operator==(const Missing&, const Missing&) = default;
};

}  // namespace lbsp::transport
