#pragma once

#include <exception>

#include "lbsp/job/messages.hpp"

namespace lbsp::job::endings {

/// What a rank tells the launcher of what has left its program. `aborted_here`: this rank has ended the job itself.
Failure failure_by(const std::exception_ptr& thrown, bool aborted_here);

}  // namespace lbsp::job::endings
