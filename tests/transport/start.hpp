#pragma once

#include <chrono>

#include "transport/units.hpp"

namespace lbsp::transport {

/// When virtual time begins.
inline constexpr Instant start{std::chrono::seconds{1}};

}  // namespace lbsp::transport
