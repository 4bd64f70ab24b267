#pragma once

#include <cstdint>
#include <string_view>

#include "lbsp/world.hpp"

namespace lbsp::programs {

/// Throws SystemError, which names `what`, if this machine, or a control group that the process is in, has less than
/// `bytes` of free memory. Otherwise the system would end the process while it uses the memory.
void require_memory(double bytes, std::string_view what);

/// Notes what is free before any rank takes some. Before the job begins.
void note_free_memory();

/// The same as require_memory() of what a rank needs at least of so many values, `bytes` for each, that all ranks share
/// evenly; and, if the world is the job's first, of what all ranks of this host need of what was free at the beginning.
void require_memory_of_part(double values, double bytes, const World& world, std::string_view what);

}  // namespace lbsp::programs
