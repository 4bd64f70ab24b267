#include "transport/host_refusal.hpp"

#include <cerrno>

namespace lbsp::transport {

std::string_view place_of_refusal(int error) {
  if (error == EPERM) return "firewall";
  return error == EACCES ? "firewall and routes" : "routes and interfaces";
}

}  // namespace lbsp::transport
