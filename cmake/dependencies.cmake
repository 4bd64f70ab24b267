# Debian packages; tools/install_dependencies.sh installs them.
# Global, so that a project that adds this one as a folder of its own can link its libraries.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET GLOBAL libsodium)
pkg_check_modules(libuv REQUIRED IMPORTED_TARGET GLOBAL libuv)
pkg_check_modules(openblas REQUIRED IMPORTED_TARGET GLOBAL openblas)
pkg_check_modules(fftw REQUIRED IMPORTED_TARGET GLOBAL fftw3 fftw3f)
