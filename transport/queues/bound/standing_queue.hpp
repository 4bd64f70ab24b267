#pragma once

#include <algorithm>
#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// A queue stands if the least that a quarter of a round trip's datagrams met is longer than this, in seconds, and than
/// two datagrams. `round_trip`: the least.
inline double usual_standing_queue(Duration round_trip) {
  constexpr double shortest = 3e-3;
  constexpr double of_round_trip = 0.1;
  return std::max(shortest, of_round_trip * seconds(round_trip));
}

/// The same of a queue that is known to be full when it `holds` so much: a part of that may stand.
inline double standing_queue(Duration round_trip, std::optional<double> holds) {
  constexpr double part_of_full = 0.5;
  const double usual = usual_standing_queue(round_trip);
  return holds ? std::clamp(part_of_full * *holds, usual / 2, usual) : usual;
}

}  // namespace lbsp::transport
