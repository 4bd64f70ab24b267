#include "tools/launch/request/mpi_library.hpp"

#include <filesystem>
#include <system_error>

#include "tools/command_line/own_path.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::request {

std::string mpi_library() {
  namespace fs = std::filesystem;
  const fs::path here = fs::path(command_line::own_path()).parent_path();
  // In the build tree, and installed.
  for (const char* const folder : {LBSP_LIBRARY_IN_BUILD, LBSP_LIBRARY_INSTALLED}) {
    const fs::path path = (here / folder / "lbsp_mpi.so").lexically_normal();
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  throw UsageError(
      "--backend mpi: this lbsp was built without MPI: install libopenmpi-dev and openmpi-bin and build again, or "
      "use udp or threads");
}

}  // namespace lbsp::launch::request
