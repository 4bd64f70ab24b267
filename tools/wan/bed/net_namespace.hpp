#pragma once

#include <cstdint>

#include "tools/uv/descriptors.hpp"

namespace lbsp::wan::bed {

/// Moves the calling thread into a new, empty network namespace and returns a descriptor of it, which keeps
/// it alive. Throws SystemError.
uv::Descriptor new_net_namespace();

/// The calling thread's own. Throws SystemError.
uv::Descriptor current_net_namespace();

/// Moves the calling thread into it. Throws SystemError.
void enter_net_namespace(int descriptor);

/// The number of the calling thread's network namespace that no other gets while the machine is up
/// (SO_NETNS_COOKIE, Linux 5.14). Throws SystemError.
std::uint64_t net_namespace_cookie();

}  // namespace lbsp::wan::bed
