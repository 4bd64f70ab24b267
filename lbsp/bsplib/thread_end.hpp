#pragma once

namespace lbsp::bsplib {

/// Has `deed` called when the calling thread ends by itself, as pthread_exit has it, and not when the process ends. All
/// calls in a process give the same deed.
void at_end_of_this_thread(void (*deed)());

}  // namespace lbsp::bsplib
