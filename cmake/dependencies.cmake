# Debian packages; tools/install_dependencies.sh installs them.
# Global, so that a project that adds this one as a folder of its own can link its libraries.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)

# The library.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET GLOBAL libsodium)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET GLOBAL libisal)

# For programs that srun or mpirun starts.
pkg_check_modules(pmix QUIET pmix)

# The algorithms: in a project that has lbsp as a folder they are there if their libraries are.
if(LBSP_TOOLS)
  set(required REQUIRED)
endif()
pkg_check_modules(openblas ${required} IMPORTED_TARGET GLOBAL openblas)
pkg_check_modules(fftw ${required} IMPORTED_TARGET GLOBAL fftw3 fftw3f)
if(openblas_FOUND AND fftw_FOUND)
  set(LBSP_ALGORITHMS ON)
endif()

# The command.
if(LBSP_TOOLS)
  find_package(CLI11 2.1 REQUIRED)
  pkg_check_modules(libuv REQUIRED IMPORTED_TARGET GLOBAL libuv)
  # For lbsp trace convert --to otf2.
  pkg_check_modules(otf2 QUIET IMPORTED_TARGET GLOBAL otf2)
endif()

# The MPI backend is there if an MPI is: Open MPI, whose mpirun `lbsp run --backend mpi` calls.
option(LBSP_MPI "build the MPI backend if MPI is found" ${LBSP_TOOLS})
if(LBSP_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS CXX QUIET)
  if(NOT MPI_CXX_FOUND)
    message(STATUS "No MPI: lbsp run will have no --backend mpi. Install libopenmpi-dev and openmpi-bin for it.")
  endif()
endif()
