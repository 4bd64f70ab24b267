#include "tools/host_abilities.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/uv/descriptors.hpp"

namespace lbsp {

std::string udp_offload() {
  const uv::Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto takes = [&](int option, int value) {
    return ::setsockopt(socket.get(), SOL_UDP, option, &value, sizeof value) == 0;
  };
  constexpr int usual_bytes = 1400;
  const bool sends = takes(UDP_SEGMENT, usual_bytes);
  const bool receives = takes(UDP_GRO, 1);
  if (sends && receives) return "of sending (GSO) and receiving (GRO)";
  if (sends) return "of sending (GSO)";
  return receives ? "of receiving (GRO)" : "none";
}

bool can_share_memory() {
  const uv::Descriptor memory(::memfd_create("lbsp", MFD_CLOEXEC));
  return memory.get() >= 0;
}

std::string pmix_ability() {
  if (!LBSP_WITH_PMIX) return "cannot run: it was built without";
  void* const library = ::dlopen("libpmix.so.2", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return "cannot run: there is no libpmix.so.2 (Debian: libpmix2)";
  ::dlclose(library);
  return "can run, for srun, mpirun and the like";
}

std::string bed_ability() {
  if (!std::filesystem::exists("/dev/net/tun")) return "cannot run: there is no /dev/net/tun";
  return ::geteuid() == 0 ? "can run" : "cannot run: it takes root";
}

}  // namespace lbsp
