#pragma once

#include <cstdint>
#include <vector>

#include "transport/host_refusal.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What is known outside of a job of one of its processes, if the job goes on without ranks that are lost: a hint, with
/// which the ranks need not wait as long. Who is a member they decide themselves.
struct LossNotice {
  /// Of the process that has this slot, a rank of the job's start, in this epoch: no other one ever is meant.
  Rank slot = 0;
  std::uint32_t epoch = 0;
  bool ended = false;          ///< it has ended
  bool nobody_comes = false;   ///< no new process will take its place
  bool somebody_asks = false;  ///< a new process begins to ask all others for its place now

  friend bool operator==(const LossNotice&, const LossNotice&) = default;
};

/// What a rank tells outside of the job while the members agree anew. Ranks are of the job's start.
struct Missing {
  std::uint32_t epoch = 0;  ///< in which it misses them
  std::vector<Rank> ranks = {};
  HostRefusal refusal = {};  ///< of its own host, which may be why others miss it

  friend bool operator==(const Missing&, const Missing&) = default;
};

}  // namespace lbsp::transport
