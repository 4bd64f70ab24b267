#include "carriers.hpp"

#include "tcp_mesh.hpp"
#include "transport/error.hpp"
#ifdef LBSP_WITH_UDT
#include "udt_mesh.hpp"
#endif
#ifdef LBSP_WITH_SRT
#include "srt_mesh.hpp"
#endif

namespace lbsp::benchmark {
namespace {

[[noreturn]] void refuse(const std::string& carrier) {
  std::string what_to_do = "use one of " + carriers();
  if (carrier == "udt") what_to_do = "install libudt-dev, and build again";
  if (carrier == "srt") what_to_do = "install libsrt-openssl-dev, and build again";
  throw UsageError("superstep_probe has no carrier '" + carrier + "': " + what_to_do);
}

}  // namespace

std::string carriers() {
  std::string names = "tcp-CONGESTION";
#ifdef LBSP_WITH_UDT
  names += " udt";
#endif
#ifdef LBSP_WITH_SRT
  names += " srt";
#endif
  return names;
}

std::unique_ptr<Mesh> make_mesh(const std::string& carrier, const Place& place) {
  if (carrier.starts_with("tcp-")) return std::make_unique<TcpMesh>(place, carrier.substr(4));
#ifdef LBSP_WITH_UDT
  if (carrier == "udt") return std::make_unique<UdtMesh>(place);
#endif
#ifdef LBSP_WITH_SRT
  if (carrier == "srt") return std::make_unique<SrtMesh>(place);
#endif
  refuse(carrier);
}

}  // namespace lbsp::benchmark
