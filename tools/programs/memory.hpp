#pragma once

#include <cstdint>
#include <string_view>

namespace lbsp::programs {

/// Throws SystemError, which names `what`, if this machine has less than `bytes` of free memory. Otherwise
/// the system would end the process while it uses the memory.
void require_memory(double bytes, std::string_view what);

}  // namespace lbsp::programs
