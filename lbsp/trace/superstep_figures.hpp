#pragma once

#include <chrono>
#include <cstdint>

#include "transport/traffic.hpp"

namespace lbsp {

using Seconds = std::chrono::duration<double>;

/// What one superstep cost one rank.
struct SuperstepFigures {
  Seconds compute{0};                  ///< from the end of the previous sync() to the call of this one
  Seconds communicate{0};              ///< in sync()
  std::uint64_t h = 0;                 ///< bytes of messages to or from the other ranks, whichever is more
  transport::TrafficCounters traffic;  ///< from the call of this sync() to that of the next
  /// What was planned for this sync(). In sums: see Forecast.
  transport::Forecast forecast{};

  SuperstepFigures& operator+=(const SuperstepFigures& other);
};

}  // namespace lbsp
