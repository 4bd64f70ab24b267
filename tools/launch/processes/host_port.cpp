#include "tools/launch/processes/host_port.hpp"

#include "transport/udp/sockets/port_for_ranks.hpp"

namespace lbsp::launch::processes {

int HostPort::descriptor_for(const std::optional<job::HostPort>& port, Rank rank) {
  if (!port) return -1;
  if (sockets_.empty())
    sockets_ = transport::bind_for_ranks(port->bind_address, port->port, port->first_rank, port->ranks);
  return sockets_.at(static_cast<std::size_t>(rank - port->first_rank)).native_handle();
}

}  // namespace lbsp::launch::processes
