#pragma once

#include <cstdint>

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

}  // namespace lbsp::transport
