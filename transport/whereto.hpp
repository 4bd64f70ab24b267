#pragma once

#include <cstdint>

namespace lbsp::transport {

/// Which address of a rank is meant.
enum class Whereto : std::uint8_t {
  known,   ///< where that rank is, as far as is known
  asked,   ///< where AddressChecks asks whether it is there
  newest,  ///< where its newest datagram came from
};

}  // namespace lbsp::transport
