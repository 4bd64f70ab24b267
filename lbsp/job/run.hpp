#pragma once

#include <functional>

#include "lbsp/world.hpp"

namespace lbsp {

/// Runs a BSP program; the whole of an lbsp program's main():
///
///     int main() {
///       return lbsp::run([](lbsp::World& world) { … });
///     }
///
/// Started by `lbsp run`, this process joins the job and calls `program` with its World; with the backend
/// `threads` it calls it on one thread per rank, at the same time. Started by itself, it is a world of one
/// rank. After the program's return it waits, in bounded time, until no other rank needs this one, and gives
/// the launcher the figures for its report.
///
/// Returns the exit code for main(): 0, or 1 if the program threw, or the job could not be joined. An
/// exception ends the job on all ranks; its what() is printed once, as `lbsp: …`, by the launcher if there is
/// one. Call it once in a process. When the launcher dies, so does the process, at once and without
/// unwinding.
int run(const std::function<void(World&)>& program);

}  // namespace lbsp
