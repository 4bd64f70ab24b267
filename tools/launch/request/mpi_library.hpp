#pragma once

#include <string>

namespace lbsp::launch::request {

/// The path of the lbsp_mpi.so that belongs to this lbsp. Throws UsageError if it was built without MPI.
std::string mpi_library();

}  // namespace lbsp::launch::request
