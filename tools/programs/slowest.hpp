#pragma once

#include "lbsp/world.hpp"

namespace lbsp::programs {

/// The longest of all ranks' times, on rank 0; its own on the others. One superstep; all ranks call it
/// together.
Seconds slowest(World& world, Seconds own);

}  // namespace lbsp::programs
