#pragma once

#include <cstdint>
#include <string_view>

#include "transport/units.hpp"

namespace lbsp::programs {

/// Throws SystemError, which names `what`, if this machine has less than `bytes` of free memory. Otherwise
/// the system would end the process while it uses the memory.
void require_memory(double bytes, std::string_view what);

/// The same of what one rank needs at least of so many values, `bytes` for each, that all ranks share evenly.
void require_memory_of_part(double values, double bytes, Rank ranks, std::string_view what);

}  // namespace lbsp::programs
