#pragma once

#include <optional>

#include "tests/support/backends.hpp"

namespace lbsp::test {

/// MPI, if mpirun has started this test program: then its processes are the ranks, every one of which runs
/// every test. A test of fewer ranks leaves the others out; one of more fails. A rank that fails ends them
/// all (MPI_Abort), so tests of failures must be filtered out.
std::optional<Backend> mpi_backend();

}  // namespace lbsp::test
