#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lbsp/world.hpp"

namespace lbsp::job::joining {

/// The variables that tell a process that mpirun started it for a launcher: the mark of that launcher's frames, the
/// ceiling on messages, the path of lbsp_mpi.so (transport/mpi/session.hpp), and if it is there, that a trace is kept.
inline constexpr const char* mark_variable = "LBSP_MPI_MARK";
inline constexpr const char* ceiling_variable = "LBSP_MPI_MAX_MESSAGE";
inline constexpr const char* trace_variable = "LBSP_MPI_TRACE";
inline constexpr const char* library_variable = "LBSP_MPI_LIBRARY";

/// The mark this process was started with; none if it is not a rank under mpirun. Takes it, and the control
/// connection that mpirun itself has, out of the environment.
std::optional<std::string> inherited_mark();

/// Runs the program as one rank of an MPI job, from MPI_Init to MPI_Finalize. mpirun leaves a rank no
/// connection to the launcher, so all frames go to rank 0, which writes them among its standard error
/// (output_frames.hpp); only a failure is written by the rank that has it. Returns the process's exit code.
int run_under_mpi(const std::string& mark, const std::function<void(World&)>& program);

}  // namespace lbsp::job::joining
