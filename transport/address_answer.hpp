#pragma once

#include <cstdint>
#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// A process has shown where it is.
struct AddressAnswer {
  Rank who = 0;
  /// It is where it was asked so (AddressChecks). None: it has knocked, from where its newest datagram came.
  std::optional<std::uint32_t> question = {};

  friend bool operator==(const AddressAnswer&, const AddressAnswer&) = default;
};

}  // namespace lbsp::transport
