#include "tools/version.hpp"

#include <boost/version.hpp>
#include <fftw3.h>
#include <fmt/format.h>
#include <sodium.h>
#include <uv.h>

#include "tools/host_abilities.hpp"
#include "tools/launch/request/mpi_library.hpp"
#include "transport/error.hpp"
#include "transport/wire/format.hpp"
#include "transport/wire/ipsec_mb.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp {
namespace {

std::string libraries() {
  constexpr int fmt_major = FMT_VERSION / 10000;
  constexpr int fmt_minor = FMT_VERSION / 100 % 100;
  return fmt::format("Boost {}.{}, {}, fmt {}.{}, ISA-L {}, libsodium {}, libuv {}, OpenBLAS {}",
                     BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, fftw_version, fmt_major, fmt_minor,
                     LBSP_ISAL_VERSION, sodium_version_string(), uv_version_string(), LBSP_OPENBLAS_VERSION);
}

std::string ciphers() {
  const std::string chacha = "ChaCha20-Poly1305 by libsodium";
  if (!transport::cipher_available(transport::Cipher::aes256_gcm)) return chacha;
  const bool fast = transport::IpsecMb::find() != nullptr;
  return fmt::format("AES-256-GCM by {}, {}", fast ? "intel-ipsec-mb" : "libsodium", chacha);
}

std::string backends() {
  const std::string always = can_share_memory() ? "udp, shared-memory, threads" : "udp, threads";
  try {
    launch::request::mpi_library();
    return always + ", mpi";
  } catch (const UsageError&) {
    return always + "; it was built without MPI";
  }
}

}  // namespace

std::string version_text() {
  return fmt::format(
      "lbsp {}, wire version {}\n"
      "  built by    {}, {}\n"
      "  libraries   {}\n"
      "  ciphers     {}\n"
      "  offload     {}\n"
      "  backends    {}\n"
      "  PMIx        {}\n"
      "  lbsp wan    {}\n",
      LBSP_VERSION, transport::wire_version, LBSP_COMPILER, LBSP_BUILD_TYPE, libraries(), ciphers(),
      udp_offload(), backends(), pmix_ability(), bed_ability());
}

}  // namespace lbsp
