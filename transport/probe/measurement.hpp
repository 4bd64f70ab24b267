#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/probe/responder.hpp"
#include "transport/probe/schedule.hpp"
#include "transport/units.hpp"

namespace lbsp::transport::probe {

/// What to measure, and how much it may cost.
struct MeasurementPlan {
  std::vector<std::uint32_t> sizes{64, 512, 1400, 8192, 25'600, 64'000};  ///< UDP payload, ascending
  std::uint32_t count = 300;    ///< datagrams of each size and direction, for loss
  bool count_is_fixed = false;  ///< otherwise fewer of sizes that would take too long
  BytesPerSecond most{megabits_per_second(1000)};
  Duration time_limit = std::chrono::seconds{60};
  /// Otherwise what a slow path takes for the fewest datagrams that tell a loss comes on top, if that is no more
  /// than `most_for_slow_paths`.
  bool time_limit_is_fixed = false;
  static constexpr Duration most_for_slow_paths = std::chrono::minutes{5};
  bool bandwidth = true;
  /// Otherwise those are left out that the path does not take whole, and the largest that it takes is added.
  bool sizes_are_fixed = true;
};

/// What was found for one direction and size.
struct DirectionResult {
  LossSummary loss;
  BytesPerSecond bandwidth;        ///< 0: nothing arrived
  bool limited_by_sender = false;  ///< the path may take more
};

struct SizeResult {
  std::uint32_t bytes = 0;
  DirectionResult up;               ///< from the client to the responder
  DirectionResult down;             ///< and back
  std::vector<double> round_trips;  ///< seconds
};

struct Measurement {
  std::vector<SizeResult> sizes;
  /// UDP payload of the largest datagram that arrives whole; none: the responder does not measure that, or
  /// nothing arrived.
  std::optional<std::uint32_t> largest_up;
  std::optional<std::uint32_t> largest_down;
  Rates responder_rates;
};

}  // namespace lbsp::transport::probe
