#pragma once

#include "transport/units.hpp"

namespace lbsp::transport {

/// Whose datagram has come: that one may be where it came from.
struct HeardFrom {
  Rank rank = 0;
  /// One that has come before, and says nothing else. Otherwise it is that rank's newest.
  bool copy = false;

  friend bool operator==(const HeardFrom&, const HeardFrom&) = default;
};

}  // namespace lbsp::transport
