#include "carriers.hpp"

#include <algorithm>

#include "tcp_mesh.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"
#ifdef LBSP_WITH_UDT
#include "udt_mesh.hpp"
#endif
#ifdef LBSP_WITH_SRT
#include "srt_mesh.hpp"
#endif

namespace lbsp::benchmark {
namespace {

bool is_of(const std::string& carrier, const std::string& library) {
  return carrier == library || carrier.starts_with(library + "-");
}

/// The bytes per second that each connection may send; -1 where the carrier names no rate.
[[maybe_unused]] std::int64_t ceiling_of(const std::string& carrier, const Place& place) {
  if (carrier.size() == 3) return -1;
  const auto others = static_cast<double>(std::max<std::size_t>(place.size() - 1, 1));
  return static_cast<std::int64_t>(transport::parse_rate(carrier.substr(4)).value / others);
}

[[noreturn]] void refuse(const std::string& carrier) {
  std::string what_to_do = "use one of " + carriers();
  if (is_of(carrier, "udt")) what_to_do = "install libudt-dev, and build again";
  if (is_of(carrier, "srt")) what_to_do = "install libsrt-openssl-dev, and build again";
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
  if (is_of(carrier, "udt")) return std::make_unique<UdtMesh>(place, ceiling_of(carrier, place));
#endif
#ifdef LBSP_WITH_SRT
  if (is_of(carrier, "srt")) return std::make_unique<SrtMesh>(place, ceiling_of(carrier, place));
#endif
  refuse(carrier);
}

}  // namespace lbsp::benchmark
