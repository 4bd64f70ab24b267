#pragma once

#include "transport/wire/format.hpp"

namespace lbsp::transport::testing {

/// The messages and the replies of the first superstep.
inline constexpr MessageId first{0, Leg::messages};
inline constexpr MessageId replies{0, Leg::replies};

}  // namespace lbsp::transport::testing
