#include "tools/probe/blas_library.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>

#include "transport/error.hpp"
#include "transport/process/address_room.hpp"

namespace lbsp::probe {
namespace {

/// The library with those that it needs, and the buffer that it takes when it first computes: without room for that it
/// would ask for it for ever.
constexpr std::size_t room_to_compute = std::size_t{192} << 20;

void* load() {
  if (!transport::has_address_room(room_to_compute))
    throw SystemError(
        "no memory to compute with OpenBLAS, which takes 192 MiB of addresses: raise the limit of memory (ulimit -v)");
  // Read when the library is loaded, and by nobody else here.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* const library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw SystemError(fmt::format("cannot load OpenBLAS: {}: install libopenblas0", ::dlerror()));
  return library;
}

}  // namespace

BlasLibrary::BlasLibrary() {
  static void* const library = load();
  dgemm_ = reinterpret_cast<decltype(&cblas_dgemm)>(::dlsym(library, "cblas_dgemm"));
  if (dgemm_ == nullptr)
    throw SystemError("OpenBLAS was built without its C interface: install libopenblas0-pthread");
}

void BlasLibrary::multiply(std::size_t order, std::span<const double> a, std::span<const double> b,
                           std::span<double> c) const {
  const auto n = static_cast<blasint>(order);
  dgemm_(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
}

}  // namespace lbsp::probe
