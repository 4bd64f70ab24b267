#pragma once

#include "lbsp/world.hpp"

namespace lbsp::programs {

/// The longest of all ranks' times on rank 0; each rank's own time on the others. Takes one superstep; all
/// ranks call it together.
Seconds slowest(World& world, Seconds own);

}  // namespace lbsp::programs
