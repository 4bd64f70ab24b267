#pragma once

#include <optional>
#include <sys/types.h>

namespace lbsp::launch::doors {

/// A job that outlives its ranks outlives its `lbsp run` too: this process stays in front of it, for whoever started
/// it, and a child of it, the keeper, has the hosts and the ranks. What kills the one leaves the other.

/// Makes the keeper, and returns nothing there. In this process it passes signals on, waits for the keeper's end and
/// returns its exit code. To be called before there are threads or loops. Throws SystemError.
std::optional<int> wait_in_front();

/// In the keeper: its front has died. Then it gets `front_has_died` too.
bool front_is_gone();
extern const int front_has_died;

/// How the user names the job: by the process id of his `lbsp run`.
pid_t job_number();

}  // namespace lbsp::launch::doors
