#pragma once

#include <functional>

#include "lbsp/world.hpp"

namespace lbsp {

/// Runs a BSP program. This is all that the main() of an lbsp program does:
///
///     int main() {
///       return lbsp::run([](lbsp::World& world) { … });
///     }
///
/// A process started by `lbsp run` joins the job and calls `program` with its World. With the backend
/// `threads` it calls `program` on one thread per rank, at the same time. A process started by itself is a
/// world of one rank, unless srun, mpirun or another starter that speaks PMIx has started it with others: they are
/// its world then. When the program returns, run() waits, in bounded time, until no other rank needs this
/// one, and gives the launcher the figures for its report.
///
/// If the job goes on when ranks are lost (`lbsp run --on-failure shrink`), run() calls `program` again in the ranks
/// that are left, with a World of these, when sync() has thrown WorldChanged (lbsp/steps.hpp says what is kept).
///
/// Returns the exit code for main(): 0, or 1 if the program threw an exception or the job could not be
/// joined. An exception ends the job on all ranks. Its what() is printed once, as `lbsp: …`, by the launcher
/// if there is one. Call run() once in a process. When the launcher dies, the process dies too, at once and
/// without unwinding.
int run(const std::function<void(World&)>& program);

}  // namespace lbsp
