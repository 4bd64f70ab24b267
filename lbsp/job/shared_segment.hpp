#pragma once

#include <optional>

#include "lbsp/job/messages.hpp"
#include "transport/shared_memory/links.hpp"

namespace lbsp::job {

/// Names the inherited descriptor of the memory that the ranks of this host share.
inline constexpr const char* shared_memory_variable = "LBSP_SHARED_MEMORY_FD";

/// The memory that the welcome speaks of; none if this process has not got it or cannot map it. Takes the variable out
/// of the environment, so only the first call in a process gets it.
std::optional<transport::shared_memory::Ground> take_shared_segment(const Welcome& welcome);

}  // namespace lbsp::job
