#pragma once

#include <sys/types.h>

namespace lbsp::launch::processes {

/// Whether a process is stopped, as SIGSTOP stops it, or waits for children that are all stopped, as the shell of a
/// script does. One that a debugger holds is not.
bool is_stopped(pid_t process);

}  // namespace lbsp::launch::processes
