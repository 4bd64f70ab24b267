#pragma once

#include <cstdint>
#include <string_view>

namespace lbsp::programs {

/// Throws SystemError, which names `what`, if this machine has less memory free than `bytes`: said before it
/// is used rather than ended by the system while it is.
void require_memory(double bytes, std::string_view what);

}  // namespace lbsp::programs
