#pragma once

#include <optional>

namespace lbsp::job {

/// Names the inherited descriptor of the memory that the ranks of this host share.
inline constexpr const char* shared_memory_variable = "LBSP_SHARED_MEMORY_FD";
/// Names that of this rank's socket at the port of its host.
inline constexpr const char* port_variable = "LBSP_PORT_FD";

/// The descriptor that the variable names; none if this process has inherited none. It is not for this process's
/// children: the variable leaves the environment, so only the first call in a process gets it.
std::optional<int> take_inherited_descriptor(const char* variable);

}  // namespace lbsp::job
