#pragma once

#include <optional>

#include "lbsp/job/messages.hpp"
#include "transport/shared_memory/links.hpp"

namespace lbsp::job::joining {

/// The memory that the welcome speaks of; none if this process has not got it or cannot map it. Only the
/// first call in a process gets it.
std::optional<transport::shared_memory::Ground> take_shared_segment(const Welcome& welcome);

}  // namespace lbsp::job::joining
