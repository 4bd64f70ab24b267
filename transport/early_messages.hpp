#pragma once

#include <cstdint>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// A message is sent so many supersteps before it is awaited, at most.
inline constexpr std::uint32_t most_early = 8;

/// Messages that are sent supersteps before they are awaited.
struct EarlyMessages {
  std::vector<Bytes> outgoing;  ///< by rank
  std::vector<Rank> destinations;
  std::uint32_t supersteps = 1;  ///< from the one that they go with to the one before which they are awaited
};

}  // namespace lbsp::transport
