#pragma once

#include <optional>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::launch::processes {

/// The UDP port that the ranks of this host share. This process opens it and hands each rank its socket. It keeps them
/// all, because the system would divide what arrives differently if one were gone.
class HostPort {
 public:
  /// Opens it for the first rank that is to have it. -1 if this one is to have none. Throws as
  /// transport::bind_for_ranks.
  int descriptor_for(const std::optional<job::HostPort>& port, Rank rank);

 private:
  std::vector<transport::UdpPort> sockets_;
};

}  // namespace lbsp::launch::processes
